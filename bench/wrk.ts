import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Ask, Load, Outcome } from './load.ts'
import { spawnOn } from './server.ts'

const loadCore = 1
const longestSeconds = 600
const againMs = 100

/** wrk counts whole seconds: it is started for long and interrupted in time. */
export const wrk = async ({ origin, asks, connections, durationMs }: Load): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  const script = join(folder, 'asks.lua')
  writeFileSync(script, lua(asks))
  const args = ['-t1', `-c${connections}`, `-d${longestSeconds}s`, '--timeout', '30s', '-s', script, origin]
  const child = spawnOn(loadCore, ['wrk', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const stopping = stopAfter(durationMs, () => child.kill('SIGINT'))
  try {
    if (!child.stdout) throw new Error('wrk has no output')
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
    return read(output)
  } finally {
    stopping.clear()
    rmSync(folder, { recursive: true })
  }
}

/** A signal that meets wrk before it sleeps does not wake it: it is sent until it has ended. */
const stopAfter = (durationMs: number, stop: () => void) => {
  let timer = setTimeout(() => {
    stop()
    timer = setInterval(stop, againMs)
  }, durationMs)
  return { clear: () => clearTimeout(timer) }
}

const marker = 'outcome '

const read = (output: string): Outcome => {
  const line = output.split('\n').find((each) => each.startsWith(marker))
  if (line === undefined) throw new Error(`wrk said: ${output}`)
  return JSON.parse(line.slice(marker.length)) as Outcome
}

const lua = (asks: readonly Ask[]) => `
local asks = {}
local turn = 0
function init(args)
${asks.map((ask) => `  asks[#asks + 1] = ${format(ask)}`).join('\n')}
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

const format = ({ method, path, headers = {}, body }: Ask) => {
  const fields = Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
  return `wrk.format(${quoted(method)}, ${quoted(path)}, {${fields.join(', ')}}, ${body === undefined ? 'nil' : quoted(body)})`
}

/** A Lua string of any bytes. */
const quoted = (value: string) =>
  `"${Array.from(Buffer.from(value), (byte) => (byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`)).join('')}"`
