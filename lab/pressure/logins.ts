import { median } from '#lab/median.ts'
import { createTodo, sendArrivals, startService } from './service.ts'

const seconds = Number(process.env.PRESSURE_SECONDS ?? 5)
const rounds = Number(process.env.PRESSURE_ROUNDS ?? 5)
const wrongPerSecond = 500
const readsPerSecond = 500

const credential = (signId: string, password: string) =>
  `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`
const settings = { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'a good password' }
const right = credential('admin', 'a good password')

const get = (path: string, authorization: string) =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`

/** Authenticated reads, alternately with and without 500 failed logins a second from many addresses, on two cores. */
export const logins = async () => {
  const service = await startService(settings, process.env.PRESSURE_CORE ?? '0,1')
  const id = await createTodo(service.port, right)
  const { port } = service
  const reads = {
    port,
    seconds,
    connections: 64,
    perSecond: readsPerSecond,
    requests: [get(`/todos/${id}`, right)],
  }
  const wrong = Array.from({ length: 5_000 }, (_, at) => get('/todos', credential(`nobody${at}`, 'wrong')))
  const addresses = Number(process.env.PRESSURE_ADDRESSES ?? 250)
  const flood = {
    port,
    seconds: seconds + 1,
    connections: 250,
    addresses,
    perSecond: wrongPerSecond,
    requests: wrong,
  }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const idle = await sendArrivals(reads)
    const flooded = sendArrivals(flood)
    const busy = await sendArrivals(reads)
    const { statuses, sentMs } = await flooded
    const [idleMs, busyMs] = [idle.arrivedMs['2']?.p99 ?? 0, busy.arrivedMs['2']?.p99 ?? 0]
    ratios.push(busyMs / idleMs)
    console.log(
      `p99 of reads ${idleMs.toFixed(2)} ms alone, ${busyMs.toFixed(2)} ms beside (${(busyMs / idleMs).toFixed(1)}); reads ${JSON.stringify(busy.statuses)}; wrong ${JSON.stringify(statuses)}, refused in ${sentMs['5']?.median.toFixed(1)} ms`,
    )
  }
  console.log(`median ${median(ratios).toFixed(1)}`)
  await service.stop()
}
