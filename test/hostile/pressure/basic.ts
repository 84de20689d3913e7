import { median } from '../median.ts'
import { arrivals, createTodo, type Pressed, startService } from './service.ts'

const seconds = Number(process.env.PRESSURE_SECONDS ?? 3)
const rounds = Number(process.env.PRESSURE_ROUNDS ?? 9)
/** Far more than one core does: over few connections that keeps it busy. */
const perSecond = 60_000
const connections = 16

const settings = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'a good password' }
const authorization = `Basic ${Buffer.from('admin:a good password').toString('base64')}`

/** What a request costs of the processor with a login that is remembered, and where everybody may come in. */
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

/** Both are sent the field, so that both read as much. */
const costOf = async ({ port, cpuMs }: Pressed) => {
  const id = await createTodo(port, authorization)
  const request = `GET /api/v1/todos/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
  return async () => {
    const before = await cpuMs()
    const { perSecond: answered } = await arrivals({
      port,
      seconds,
      connections,
      perSecond,
      requests: [request],
    })
    const usedMs = (await cpuMs()) - before
    // The second of warming up is used and not counted.
    return (usedMs * 1000) / (answered * (seconds + 1))
  }
}
