import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../test/free-port.ts'
import { main, surroundings } from '../../../test/program.ts'
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
      figure: `a full pipe, a full disk, a reader gone: ${3 * requests} requests answered but ${broken.length} things not as promised, memory + ${grown} MiB at most`,
      broken,
      figures,
    }
  },
}

const runWithSink = async (sink: string, file: string, requests: number) => {
  const [port, managementPort] = [await freePort(), await freePort()]
  const full = sink === 'a full disk' ? openSync('/dev/full', 'w') : undefined
  const child = spawn(process.execPath, [main, 'serve'], {
    stdio: ['ignore', full ?? 'pipe', 'pipe'],
    env: {
      ...surroundings,
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      DATABASE_URL: `sqlite:${file}`,
    },
  })
  const gone = once(child, 'exit')
  await whenStarted(child)
  if (sink === 'a reader that went away') child.stdout?.destroy()
  const broken = await sendMany(port, requests / 4)
  const before = residentMiB(child)
  broken.push(...(await sendMany(port, requests)))
  const grownMiB = Math.round(residentMiB(child) - before)
  const dropped = await droppedOf(managementPort)
  const startedAt = performance.now()
  child.kill('SIGTERM')
  const [code] = await gone
  const ms = performance.now() - startedAt
  if (full !== undefined) closeSync(full)
  if (grownMiB > boundMiB) broken.push(`memory grew by ${grownMiB} MiB`)
  if (code !== 0 || ms > 10_000) broken.push(`it ended with ${code} after ${Math.round(ms)} ms`)
  if (sink !== 'a full pipe' && dropped === 0) broken.push('no line was counted as lost')
  return { broken, grownMiB, dropped }
}

const whenStarted = async ({ stderr, exitCode }: ChildProcess) => {
  let output = ''
  while (!output.includes('Open to')) {
    if (!stderr || exitCode !== null) throw new Error(`it did not start: ${output}`)
    output += String((await once(stderr, 'data'))[0])
  }
}

const sendMany = async (port: number, requests: number) => {
  const one = probe(`http://127.0.0.1:${port}`)
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

const residentMiB = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const droppedOf = async (port: number) => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^rollcall_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1] ?? 0)
}
