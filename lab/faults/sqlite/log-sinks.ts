import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceProcess, start } from '../../../test/operations/child.ts'
import { type Fault, rounds } from '../fault.ts'
import { probe } from '../probe.ts'

const boundMiB = 96

/** The log goes to a sink that is not read or cannot be written. */
export const logSinks: Fault = {
  name: 'log sink full or gone',
  engine: 'sqlite',
  promise: 'Requests are answered, memory is bounded, lost lines are counted, and it still ends in time.',
  async run(stage) {
    const requests = rounds(stage, 20_000)
    const broken: string[] = []
    const figures: Record<string, number> = { requests }
    for (const [index, sink] of (
      ['a full pipe', 'a full disk', 'a reader that went away'] as const
    ).entries()) {
      const seen = await runWithSink(sink, join(stage.directory, `log${index}.db`), requests)
      broken.push(...seen.broken.map((what) => `${sink}: ${what}`))
      figures[`grownMiB${index}`] = seen.grownMiB
      figures[`dropped${index}`] = seen.dropped
      stage.progress((index + 1) / 3)
    }
    const grown = Math.max(...[0, 1, 2].map((index) => figures[`grownMiB${index}`] ?? 0))
    return {
      figure: `a full pipe, a full disk, a reader gone: ${3 * requests} requests answered, ${broken.length} faults, memory + ${grown} MiB at most`,
      broken,
      figures,
    }
  },
}

const runWithSink = async (sink: string, file: string, requests: number) => {
  const full = sink === 'a full disk' ? openSync('/dev/full', 'w') : undefined
  const service = await start({ environment: { DATABASE_URL: `sqlite:${file}` }, log: full ?? 'pipe' })
  if (sink === 'a reader that went away') service.stopReading()
  const broken = await sendMany(service.url, requests / 4)
  const before = residentMiB(service)
  broken.push(...(await sendMany(service.url, requests)))
  const grownMiB = Math.round(residentMiB(service) - before)
  const dropped = await droppedOf(service)
  const startedAt = performance.now()
  service.kill('SIGTERM')
  const { code } = await service.exit
  const ms = performance.now() - startedAt
  if (full !== undefined) closeSync(full)
  if (grownMiB > boundMiB) broken.push(`memory grew by ${grownMiB} MiB`)
  if (code !== 0 || ms > 10_000) broken.push(`it ended with ${code} after ${Math.round(ms)} ms`)
  if (sink !== 'a full pipe' && dropped === 0) broken.push('no line was counted as lost')
  return { broken, grownMiB, dropped }
}

const sendMany = async (url: string, requests: number) => {
  const one = probe(url)
  const wrong = new Set<string>()
  let left = requests
  const ask = async () => {
    while (left-- > 0) {
      const { status, code } = await one.read()
      if (status !== 200 && code !== 'e.xx.fw.9004') wrong.add(`a request was answered ${status} ${code}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, ask))
  one.close()
  return [...wrong]
}

const residentMiB = ({ pid }: ServiceProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const droppedOf = async ({ management }: ServiceProcess) => {
  const metrics = await (await fetch(`${management}/metrics`)).text()
  return Number(/^rollcall_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1] ?? 0)
}
