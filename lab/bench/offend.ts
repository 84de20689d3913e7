import { openClient } from './client.ts'
import { offenders } from './offenders.ts'

/** A program of its own: does one thing over and over in four lanes at once, until it is killed. */
const [origin = '', name = ''] = process.argv.slice(2)

const lanes = 4
const maxRunMs = 60_000

const offender = offenders.find((each) => each.name === name)
if (!offender) throw new Error(`nobody ${name}`)
const until = performance.now() + maxRunMs
let turn = 0
const lane = async () => {
  const client = openClient(origin)
  while (performance.now() < until) await offender.act(client, origin, turn++)
  client.close()
}
await Promise.all(Array.from({ length: lanes }, lane))
