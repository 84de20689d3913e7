import type { RequestSpec } from './load.ts'

/** A script for wrk: sends the requests in turn, and at the end writes the outcome as JSON after the marker. */
export const wrkScript = (specs: readonly RequestSpec[], marker: string) => `
local specs = {}
local turn = 0
local part
function init(args)
${parts(specs).join('\n')}
end
function request()
  turn = turn % #specs + 1
  return specs[turn]
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
const specsPerFunction = 1_000

const parts = (specs: readonly RequestSpec[]) =>
  Array.from({ length: Math.ceil(specs.length / specsPerFunction) }, (_, at) => {
    const some = specs.slice(at * specsPerFunction, (at + 1) * specsPerFunction)
    return `part = function()\n${some.map((spec) => `  specs[#specs + 1] = ${format(spec)}`).join('\n')}\nend\npart()`
  })

const format = ({ method, path, headers = {}, body }: RequestSpec) => {
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
