import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Load, Outcome } from './load.ts'
import { spawnOn } from './server.ts'
import { wrkScript } from './wrk-script.ts'

const loadCore = 1
const longestSeconds = 600
const againMs = 100

/** wrk counts whole seconds: it is started for long and interrupted in time. */
export const wrk = async ({
  origin,
  asks,
  connections,
  durationMs,
  core = loadCore,
}: Load): Promise<Outcome> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  const script = join(folder, 'asks.lua')
  writeFileSync(script, wrkScript(asks, marker))
  const args = ['-t1', `-c${connections}`, `-d${longestSeconds}s`, '--timeout', '30s', '-s', script, origin]
  const child = spawnOn(core, ['stdbuf', '-oL', 'wrk', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    if (!child.stdout) throw new Error('wrk has no output')
    const ended = once(child, 'exit')
    const output = await watch(child.stdout, { durationMs, stop: () => child.kill('SIGINT') })
    await ended
    return read(output)
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

const marker = 'outcome '

interface Watch {
  readonly durationMs: number
  readonly stop: () => void
}

/** It can be interrupted from its first line on. A signal that meets it before it sleeps does not wake it: it is sent again. */
const watch = async (stdout: Readable, { durationMs, stop }: Watch) => {
  let output = ''
  let timer: NodeJS.Timeout | undefined
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    timer ??= setTimeout(() => {
      stop()
      timer = setInterval(stop, againMs)
    }, durationMs)
  })
  await once(stdout, 'end')
  clearTimeout(timer)
  return output
}

const read = (output: string): Outcome => {
  const line = output.split('\n').find((each) => each.startsWith(marker))
  if (line === undefined) throw new Error(`wrk said: ${output}`)
  return JSON.parse(line.slice(marker.length)) as Outcome
}
