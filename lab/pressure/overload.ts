import { median } from '#lab/median.ts'
import { createTodo, sendArrivals, startService } from './service.ts'

const seconds = Number(process.env.PRESSURE_SECONDS ?? 4)
const rounds = Number(process.env.PRESSURE_ROUNDS ?? 3)
const connections = Number(process.env.PRESSURE_CONNECTIONS ?? 256)

const header = 'Host: 127.0.0.1\r\n'
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${header}\r\n`
const post = (path: string, body: string) =>
  `POST /api/v1${path} HTTP/1.1\r\n${header}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Work {
  readonly name: string
  readonly todos: number
  /** Far more than one core can serve. */
  readonly maxPerSecond: number
  readonly requests: (ids: readonly string[]) => readonly string[]
}

/** How many todos there are where few suffice. */
const few = 200

const works: readonly Work[] = [
  {
    name: 'todo',
    todos: few,
    maxPerSecond: 60_000,
    requests: (ids) => ids.map((id) => get(`/todos/${id}`)),
  },
  { name: 'page', todos: few, maxPerSecond: 30_000, requests: () => [get('/todos?page=0&size=100')] },
  { name: 'search', todos: 20_000, maxPerSecond: 2_000, requests: () => searches },
  { name: 'small-search', todos: few, maxPerSecond: 8_000, requests: () => searches },
  {
    name: 'write',
    todos: few,
    maxPerSecond: 12_000,
    requests: () => [post('/todos', '{"todoTitle":"press"}')],
  },
]

/** Each search is made once, so that no response is cached. */
const searches = Array.from({ length: 20_000 }, (_, at) =>
  get(`/todos?page=0&size=100&createdFrom=${1_000 + (at % 8_999)}-01-0${1 + (at % 3)}`),
)

/** Enough to keep the service busy, few enough that no request waits long. */
const peakConnections = 32

/** Goodput and refusals at one, two and four times the peak. */
export const overload = async (wanted: string | undefined) => {
  for (const work of works) {
    if (wanted !== undefined && work.name !== wanted) continue
    const service = await startService()
    const ids = await fill(service.port, work.todos)
    const plan = { port: service.port, seconds, connections, requests: work.requests(ids) }
    const ratios = new Map<number, number[]>()
    for (let round = 0; round < rounds; round++) {
      const best = await sendArrivals({ ...plan, perSecond: work.maxPerSecond, connections: peakConnections })
      const peak = goodOf(best.statuses) / seconds
      console.log(`${work.name}: the peak is ${Math.round(peak)} a second; ${describe(best)}`)
      for (const times of [1, 2, 4]) {
        const outcome = await sendArrivals({ ...plan, perSecond: peak * times })
        const good = goodOf(outcome.statuses) / seconds
        ratios.set(times, [...(ratios.get(times) ?? []), good / peak])
        console.log(
          `  ${times} × ${Math.round(good)} good/s (${(good / peak).toFixed(2)}), ${describe(outcome)}`,
        )
      }
    }
    for (const [times, list] of ratios)
      console.log(`  ${times} × median ${median(list).toFixed(2)} of the peak`)
    await service.stop()
  }
}

const goodOf = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0)

const describe = (outcome: Awaited<ReturnType<typeof sendArrivals>>) => {
  const { statuses, arrivedMs, sentMs, gaveUp, broken, openAtMost, busy } = outcome
  const ms = (spread: { median: number; p99: number; max: number } | undefined) =>
    spread ? `${spread.median.toFixed(1)}/${spread.p99.toFixed(1)}/${spread.max.toFixed(0)}` : '-'
  return `refused ${statuses['503'] ?? 0}, gave up ${gaveUp}, broken ${broken}; ms median/p99/max: good ${ms(arrivedMs['2'])} (sent ${ms(sentMs['2'])}), refused ${ms(arrivedMs['5'])} (sent ${ms(sentMs['5'])}); ${openAtMost} open, load busy ${busy.toFixed(2)}`
}

/** Fifty at a time. */
const fill = async (port: number, todos: number) => {
  const ids: string[] = []
  while (ids.length < todos) {
    const some = Array.from({ length: Math.min(todos - ids.length, 50) }, () => createTodo(port))
    ids.push(...(await Promise.all(some)))
  }
  return ids
}
