import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load, Outcome, RunningLoad } from './load.ts'
import { loaderOf } from './loader.ts'
import { spawnOn } from './server.ts'
import { wrkScript } from './wrk-script.ts'

const loadCore = 1
const maxSeconds = 600
const interruptIntervalMs = 100

/** wrk's durations are whole seconds, so it is started for a long time and interrupted when due. */
export const beginWrk = async ({
  origin,
  specs,
  connections,
  core = loadCore,
}: Load): Promise<RunningLoad> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  const script = join(folder, 'specs.lua')
  writeFileSync(script, wrkScript(specs, marker))
  const args = ['-t1', `-c${connections}`, `-d${maxSeconds}s`, '--timeout', '30s', '-s', script, origin]
  const child = spawnOn(core, ['stdbuf', '-oL', 'wrk', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const loader = loaderOf(child)
  await loader.started
  // wrk has read the script by now.
  rmSync(folder, { recursive: true })
  return {
    ...loader,
    async end() {
      loader.resume()
      loader.interrupt()
      // A signal that arrives before wrk sleeps does not wake it.
      const interrupting = setInterval(loader.interrupt, interruptIntervalMs)
      try {
        return read(await loader.output)
      } finally {
        clearInterval(interrupting)
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
