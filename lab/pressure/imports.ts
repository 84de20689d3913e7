import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openScratch } from '#lab/bench/scratch.ts'
import { usage } from '#lab/bench/usage.ts'
import { openService, type Service } from '#lab/service.ts'

/** How long a file of members takes, how large the process grows, and how slow reads are meanwhile. */
export const imports = async (argument = '20000') => {
  const rows = Number(argument)
  const scratch = openScratch()
  const databaseUrl = process.env.DATABASE_URL ?? `sqlite:${scratch.folder}/imports.db`
  const service = await openService({ databaseUrl })
  try {
    console.log(`a reader alone, p99: ${round(p99(await reading(service, sleep(idleMs))))} ms`)
    const id = await begin(service, rows)
    await patch(service, id)
    await measured('ready', service, until(service, id, 'ready'))
    await call(service, 'POST', `imports/${id}/apply`)
    await measured('applied', service, until(service, id, 'done'))
    const { counts } = await call(service, 'GET', `imports/${id}`)
    console.log(JSON.stringify(counts))
  } finally {
    await service.end('SIGTERM')
    scratch.close()
  }
}

const idleMs = 5000

const begin = async (service: Service, rows: number) => {
  const startedAt = performance.now()
  const { importId } = await call(service, 'POST', 'members/imports?name=staff.csv', fileOf(rows))
  console.log(`${rows} rows uploaded in ${round(performance.now() - startedAt)} ms`)
  return importId as string
}

const fileOf = (rows: number) => {
  const salt = randomBytes(4).toString('hex')
  const lines = Array.from(
    { length: rows },
    (_, row) =>
      `Mary ${row},Major ${row % 977},female,1990-0${1 + (row % 9)}-1${row % 10},${salt}.${row}@example.com,+81 3 ${1_000_000 + row},1500001,"1-2-${row} Jingumae, Shibuya, Tokyo"`,
  )
  return ['First name,Last name,Gender,Date of birth,Email,Phone,Zip code,Address', ...lines].join('\r\n')
}

/** Without passwords, as a file of another system has none. */
const patch = (service: Service, id: string) =>
  call(service, 'PATCH', `imports/${id}`, JSON.stringify({ options: { passwords: 'none' } }))

const until = async (service: Service, id: string, state: string) => {
  for (;;) {
    const found = await call(service, 'GET', `imports/${id}`)
    if (found.state === state) return
    if (found.state === 'failed' || found.state === 'stopped') throw new Error(JSON.stringify(found))
    await sleep(100)
  }
}

const measured = async (what: string, service: Service, work: Promise<void>) => {
  const startedAt = performance.now()
  const worked = usage(service.pid).cpuMs
  const times = await reading(service, work)
  const seconds = (performance.now() - startedAt) / 1000
  const { cpuMs, residentBytes } = usage(service.pid)
  console.log(
    `${what} in ${seconds.toFixed(1)} s (${round(cpuMs - worked)} ms of processor time), ${round(residentBytes / 2 ** 20)} MiB, a reader's p99 ${round(p99(times))} ms of ${times.length}`,
  )
}

/** The times of one request after another, with a pause between, until the work ends. */
const reading = async (service: Service, work: Promise<unknown>) => {
  let isWorking = true
  void work.finally(() => {
    isWorking = false
  })
  const times: number[] = []
  while (isWorking) {
    const startedAt = performance.now()
    await call(service, 'GET', 'members?page=0&size=20')
    times.push(performance.now() - startedAt)
    await sleep(5)
  }
  await work
  return times
}

const p99 = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

const round = (value: number) => Math.round(value * 10) / 10

const call = async (service: Service, method: string, path: string, body?: string) => {
  const answer = await fetch(`${service.url}/api/v1/${path}`, {
    method,
    ...(body && {
      body,
      headers: { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'text/csv' },
    }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
