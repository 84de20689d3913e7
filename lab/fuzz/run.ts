import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '#lab/arguments.ts'
import { usage } from '#lab/bench/usage.ts'
import { median } from '#lab/median.ts'
import { openService } from '#lab/service.ts'
import type { Access } from './access.ts'
import { accesses } from './accesses.ts'
import { type FuzzReport, fuzz, summaryOf } from './fuzz.ts'
import { secret } from './materials.ts'

const minutes = Number(process.env.FUZZ_MINUTES ?? 60)
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const grownMemoryMiB = 128

/** Each access mode gets a third of the time and of the million requests, and a quarter more time if it needs it. */
const shareMs = (minutes * 60_000) / Object.keys(accesses).length
const minRequests = Math.ceil((shareMs / 3_600_000) * 1_000_000)
const maxMs = 1.25 * shareMs

/** Runs the fuzzer for an hour against the service in a process of its own, started as usual, in every access mode. */
const main = async (): Promise<void> => {
  console.log(`FUZZ_SEED=${seed} for ${minutes} minutes`)
  let complaints = 0
  let requests = 0
  for (const open of Object.values(accesses)) {
    const access = await open()
    const outcome = await campaign(access).finally(access.close)
    complaints += outcome.complaints
    requests += outcome.requests
  }
  const end = complaints === 0 ? 'no complaints' : `${complaints} complaints`
  console.log(`FUZZ_SEED=${seed}: ${requests} requests, ${end}`)
  process.exitCode = complaints === 0 ? 0 : 1
}

const campaign = async (access: Access) => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-fuzz-'))
  const service = await serve(join(folder, 'fuzz.db'), access)
  const memory: number[] = []
  const startedAtMs = Date.now()
  const elapsedMs = () => Date.now() - startedAtMs
  let requests = 0
  const watch = setInterval(() => {
    memory.push(service.residentMiB())
    if (memory.length % 6 === 0) printProgress(access.name, requests, elapsedMs(), memory)
  }, 10_000)
  const report = await fuzz({
    port: service.port,
    access,
    seed,
    firstSession: Number(process.env.FUZZ_SESSION ?? 0),
    sessionsAtOnce: 4,
    isOver: (done) => {
      requests = done.requests
      const isEnough = elapsedMs() > shareMs && requests >= minRequests
      return service.hasEnded() || isEnough || elapsedMs() > maxMs
    },
  })
  clearInterval(watch)
  const complaints = [...report.failures, ...service.complaints(), ...grown(memory)]
  if (report.requests < minRequests) complaints.push(`fewer than the intended ${minRequests} requests`)
  if (service.hasEnded()) complaints.push(`the service ended: ${service.lastOutput()}`)
  await service.end('SIGTERM')
  await rm(folder, { recursive: true })
  printReport(access.name, report, memory, complaints)
  return { complaints: complaints.length, requests: report.requests }
}

const printProgress = (name: string, requests: number, ms: number, memory: readonly number[]): void => {
  const perSecond = Math.round((requests * 1000) / ms)
  console.log(
    `${name}, ${Math.round(ms / 60_000)} min: ${requests} requests, ${perSecond} a second, ${Math.round(memory.at(-1) ?? 0)} MiB`,
  )
}

const printReport = (
  name: string,
  report: FuzzReport,
  memory: readonly number[],
  complaints: readonly string[],
): void => {
  console.log(`${name}: ${summaryOf({ ...report, failures: [] })}`)
  const rounded = memory.map(Math.round)
  console.log(
    `memory in MiB: ${rounded[0]} initially, ${median(rounded)} median, ${Math.max(...rounded)} at most`,
  )
  for (const complaint of complaints) console.log(complaint)
}

const serve = async (file: string, access: Access) => {
  const hidden = [secret, ...access.secrets]
  const wrong: string[] = []
  let rest = ''
  const inspect = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (wrong.length < 20 && hidden.some((one) => line.includes(one)))
        wrong.push(`a credential in the log: ${line.slice(0, 500)}`)
      if (wrong.length < 20 && /"level":("error"|"fatal"|50|60)|\.9003/.test(line))
        wrong.push(`logged: ${line.slice(0, 2000)}`)
    }
  }
  const settings = { LOG_LEVEL: 'info', ALLOWED_HOSTS: '*', ...access.settings }
  const service = await openService({ databaseUrl: `sqlite:${file}`, settings, onLog: inspect })
  return {
    ...service,
    complaints: () => wrong,
    residentMiB: () => usage(service.pid).residentBytes / 2 ** 20,
  }
}

/** Complains if memory keeps growing after the first fifth of the time. */
const grown = (memory: readonly number[]): string[] => {
  const fifth = Math.floor(memory.length / 5)
  if (fifth < 3) return []
  const early = median(memory.slice(fifth, 2 * fifth))
  const late = median(memory.slice(-fifth))
  return late - early > grownMemoryMiB ? [`memory grew from ${early} to ${late} MiB`] : []
}

readArguments(
  `npm --prefix lab run fuzz

  FUZZ_MINUTES  how long, by default 60
  FUZZ_SEED     repeats the requests of that run
`,
  { options: {} },
)
await main()
