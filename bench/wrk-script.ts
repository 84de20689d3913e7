import type { Ask } from './load.ts'

/** A script for wrk: sends the requests in turn, and at the end writes the outcome as JSON after the marker. */
export const wrkScript = (asks: readonly Ask[], marker: string) => `
local asks = {}
local turn = 0
local part
function init(args)
${parts(asks).join('\n')}
end
function request()
  turn = turn % #asks + 1
  return asks[turn]
end
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '${marker}{"requests":%d,"durationMs":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f,"bytes":%.0f,"refusals":%d,"failures":%d}\\n',
    summary.requests, summary.duration / 1000, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency.max / 1000, summary.bytes, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`

/** A Lua function holds no more than some 60,000 strings. */
const askedInOne = 1_000

const parts = (asks: readonly Ask[]) =>
  Array.from({ length: Math.ceil(asks.length / askedInOne) }, (_, at) => {
    const some = asks.slice(at * askedInOne, (at + 1) * askedInOne)
    return `part = function()\n${some.map((ask) => `  asks[#asks + 1] = ${format(ask)}`).join('\n')}\nend\npart()`
  })

const format = ({ method, path, headers = {}, body }: Ask) => {
  const fields = Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
  const text = body === undefined ? 'nil' : quoted(body)
  return `wrk.format(${quoted(method)}, ${quoted(path)}, {${fields.join(', ')}}, ${text})`
}

/** A Lua string of any bytes. */
const quoted = (value: string) => `"${Array.from(Buffer.from(value), quotedByte).join('')}"`

const quotedByte = (byte: number) =>
  byte < 32 || byte > 126 || byte === quote || byte === backslash
    ? `\\${String(byte).padStart(3, '0')}`
    : String.fromCharCode(byte)

const quote = 34
const backslash = 92
