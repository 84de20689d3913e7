import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load, Outcome, RunningLoad } from './load.ts'
import { loaderOf } from './loader.ts'
import { spawnOn } from './server.ts'
import { wrkScript } from './wrk-script.ts'

const loadCore = 1
const longestSeconds = 600
const againMs = 100

/** wrk's durations are whole seconds, so it is started for a long time and interrupted when due. */
export const beginWrk = async ({
  origin,
  asks,
  connections,
  core = loadCore,
}: Load): Promise<RunningLoad> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  const script = join(folder, 'asks.lua')
  writeFileSync(script, wrkScript(asks, marker))
  const args = ['-t1', `-c${connections}`, `-d${longestSeconds}s`, '--timeout', '30s', '-s', script, origin]
  const child = spawnOn(core, ['stdbuf', '-oL', 'wrk', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const loader = loaderOf(child)
  await loader.begun
  // wrk has read the script by now.
  rmSync(folder, { recursive: true })
  return {
    ...loader,
    async end() {
      loader.goOn()
      loader.interrupt()
      // A signal that arrives before wrk sleeps does not wake it.
      const again = setInterval(loader.interrupt, againMs)
      try {
        return read(await loader.said)
      } finally {
        clearInterval(again)
      }
    },
  }
}

const marker = 'outcome '

const read = (output: string): Outcome => {
  const line = output.split('\n').find((each) => each.startsWith(marker))
  if (line === undefined) throw new Error(`wrk said: ${output}`)
  return JSON.parse(line.slice(marker.length)) as Outcome
}
