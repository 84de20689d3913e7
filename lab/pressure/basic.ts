import { median } from '#lab/median.ts'
import { arrivals, createTodo, type Pressed, startService } from './service.ts'

const seconds = Number(process.env.PRESSURE_SECONDS ?? 3)
const rounds = Number(process.env.PRESSURE_ROUNDS ?? 9)
/** Far more than one core can serve, so that even a few connections keep it busy. */
const perSecond = 60_000
const connections = 16

const settings = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'a good password' }
const authorization = `Basic ${Buffer.from('admin:a good password').toString('base64')}`

/** The CPU time of a request with a cached login, and of one under open access. */
export const basic = async () => {
  const open = await startService({ ACCESS: 'open' })
  const closed = await startService({ ...settings, ACCESS: 'basic' })
  const costs = { open: await costOf(open), basic: await costOf(closed) }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? 'open' : 'basic'
    const firstUs = await costs[first]()
    const secondUs = await costs[first === 'open' ? 'basic' : 'open']()
    const [openUs, basicUs] = first === 'open' ? [firstUs, secondUs] : [secondUs, firstUs]
    ratios.push(openUs / basicUs)
    console.log(
      `open ${openUs.toFixed(1)} µs, basic ${basicUs.toFixed(1)} µs, ${(openUs / basicUs).toFixed(2)}`,
    )
  }
  console.log(`median ${median(ratios).toFixed(2)}`)
  await open.stop()
  await closed.stop()
}

/** Both services get the Authorization header, so that both parse as much. */
const costOf = async ({ port, cpuMs }: Pressed) => {
  const id = await createTodo(port, authorization)
  const request = `GET /api/v1/todos/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
  return async () => {
    const before = cpuMs()
    const { perSecond: answered } = await arrivals({
      port,
      seconds,
      connections,
      perSecond,
      requests: [request],
    })
    const usedMs = cpuMs() - before
    // The second of warm-up uses CPU time too, but its requests are not counted.
    return (usedMs * 1000) / (answered * (seconds + 1))
  }
}
