import { median } from '../median.ts'
import { arrivals, createTodo, startService } from './service.ts'

const seconds = Number(process.env.PRESSURE_SECONDS ?? 4)
const rounds = Number(process.env.PRESSURE_ROUNDS ?? 3)
const connections = Number(process.env.PRESSURE_CONNECTIONS ?? 256)

const header = 'Host: 127.0.0.1\r\n'
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${header}\r\n`
const post = (path: string, body: string) =>
  `POST /api/v1${path} HTTP/1.1\r\n${header}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Work {
  readonly name: string
  /** Far more than one core does. */
  readonly mostPerSecond: number
  readonly requests: (ids: readonly string[]) => readonly string[]
}

const works: readonly Work[] = [
  { name: 'todo', mostPerSecond: 60_000, requests: (ids) => ids.map((id) => get(`/todos/${id}`)) },
  { name: 'page', mostPerSecond: 30_000, requests: () => [get('/todos?page=0&size=100')] },
  { name: 'search', mostPerSecond: 8_000, requests: () => searches },
  { name: 'write', mostPerSecond: 12_000, requests: () => [post('/todos', '{"todoTitle":"press"}')] },
]

/** Questions that come once, so that no answer is remembered. */
const searches = Array.from({ length: 20_000 }, (_, at) =>
  get(`/todos?page=0&size=100&createdFrom=${1_000 + (at % 8_999)}-01-0${1 + (at % 3)}`),
)

/** Few enough for the service to be busy and nobody to wait long. */
const peakConnections = 32

/** Goodput and refusals at one, two and four times the peak. */
export const overload = async (wanted: string | undefined) => {
  for (const work of works) {
    if (wanted !== undefined && work.name !== wanted) continue
    const service = await startService()
    const ids = await fill(service.port, 200)
    const plan = { port: service.port, seconds, connections, requests: work.requests(ids) }
    const ratios = new Map<number, number[]>()
    for (let round = 0; round < rounds; round++) {
      const best = await arrivals({ ...plan, perSecond: work.mostPerSecond, connections: peakConnections })
      const peak = goodOf(best.statuses) / seconds
      console.log(`${work.name}: the peak is ${Math.round(peak)} a second; ${tell(best)}`)
      for (const times of [1, 2, 4]) {
        const outcome = await arrivals({ ...plan, perSecond: peak * times })
        const good = goodOf(outcome.statuses) / seconds
        ratios.set(times, [...(ratios.get(times) ?? []), good / peak])
        console.log(`  ${times} × ${Math.round(good)} good/s (${(good / peak).toFixed(2)}), ${tell(outcome)}`)
      }
    }
    for (const [times, list] of ratios)
      console.log(`  ${times} × median ${median(list).toFixed(2)} of the peak`)
    await service.stop()
  }
}

const goodOf = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0)

const tell = (outcome: Awaited<ReturnType<typeof arrivals>>) => {
  const { statuses, arrivedMs, sentMs, gaveUp, broken, openAtMost, busy } = outcome
  const ms = (spread: { median: number; p99: number; max: number } | undefined) =>
    spread ? `${spread.median.toFixed(1)}/${spread.p99.toFixed(1)}/${spread.max.toFixed(0)}` : '-'
  return `refused ${statuses['503'] ?? 0}, gave up ${gaveUp}, broken ${broken}; ms median/p99/max: good ${ms(arrivedMs['2'])} (sent ${ms(sentMs['2'])}), refused ${ms(arrivedMs['5'])} (sent ${ms(sentMs['5'])}); ${openAtMost} open, load busy ${busy.toFixed(2)}`
}

/** As many as may be open at once, if that is fewer. */
const fill = async (port: number, todos: number) => {
  const ids: string[] = []
  for (let count = 0; count < todos; count++) {
    const id = await createTodo(port).catch(() => undefined)
    if (id === undefined) break
    ids.push(id)
  }
  return ids
}
