import { request } from 'node:http'
import { median } from '#lab/median.ts'
import { newMember } from '#lab/people.ts'
import { startService } from './service.ts'

const pairs = Number(process.env.PRESSURE_PAIRS ?? 2_000)
/** Few enough not to be throttled. */
const triesPerAddress = 8

const settings = {
  ACCESS: 'basic',
  ADMIN_SIGN_ID: 'admin',
  ADMIN_PASSWORD: 'a good password',
  LOG_LEVEL: 'error',
}
const credential = (signId: string, password: string) =>
  `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`

/** How long a wrong password takes for a known and an unknown sign id: in turn, from addresses that are not throttled. */
export const timing = async () => {
  const service = await startService(settings)
  await enrol(service.port)
  const differences: number[] = []
  const wrong: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const knownMs = () => timed(service.port, credential('mary', `wrong ${pair}`), pair)
    const unknownMs = () => timed(service.port, credential(`mar${pair}`, `wrong ${pair}`), pair)
    const isKnownFirst = pair % 2 === 0
    const first = await (isKnownFirst ? knownMs() : unknownMs())
    const second = await (isKnownFirst ? unknownMs() : knownMs())
    const [known, unknown] = isKnownFirst ? [first, second] : [second, first]
    wrong.push(known)
    differences.push(known - unknown)
  }
  const [low, high] = interval(differences)
  console.log(
    `${pairs} pairs: ${median(wrong).toFixed(2)} ms for a wrong password, ${median(differences).toFixed(3)} ms more than for an unknown sign id; 95 % of such medians lie from ${low.toFixed(3)} to ${high.toFixed(3)} ms`,
  )
  await service.stop()
}

/** The 95 % confidence interval of the median, from the ranks of a binomial distribution. */
const interval = (list: readonly number[]): readonly [number, number] => {
  const sorted = [...list].sort((a, b) => a - b)
  const off = Math.ceil(0.98 * Math.sqrt(sorted.length))
  const middle = Math.floor(sorted.length / 2)
  return [sorted[middle - off] ?? Number.NaN, sorted[middle + off] ?? Number.NaN]
}

const timed = async (port: number, authorization: string, attempt: number) => {
  const place = Math.floor(attempt / triesPerAddress)
  const localAddress = `127.0.${1 + Math.floor(place / 250)}.${1 + (place % 250)}`
  const startedAtMs = performance.now()
  const status = await statusOf(port, { authorization }, localAddress)
  if (status !== 401) throw new Error(`answered with ${status}`)
  return performance.now() - startedAtMs
}

const statusOf = (port: number, headers: Record<string, string>, localAddress: string) =>
  new Promise<number>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/api/v1/todos', headers, localAddress, agent: false }
    request(options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })

const enrol = async (port: number) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/members`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: credential('admin', 'a good password') },
    body: JSON.stringify(newMember('mary', 'swordfish')),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}
