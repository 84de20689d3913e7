import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'

const { origin, specs, connections } = JSON.parse(await text(process.stdin))

const startedAtMs = performance.now()
const { promise, resolve, reject } = Promise.withResolvers()
const run = autocannon(
  { url: origin, connections, duration: 600, timeout: 30, requests: specs },
  (error, result) => (error ? reject(error) : resolve(result)),
)
process.on('SIGINT', () => run.stop())
/** Its first output tells the parent that it may be interrupted. */
process.stdout.write('\n')
const result = await promise

process.stdout.write(
  JSON.stringify({
    requests: result.requests.total,
    durationMs: performance.now() - startedAtMs,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    maxMs: result.latency.max,
    bytes: result.throughput.total,
    refusals: result['4xx'] + result['5xx'],
    failures: result.errors,
  }),
)
