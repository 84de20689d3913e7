import { join } from 'node:path'
import type { Load, Outcome, RunningLoad } from './load.ts'
import { outputOf } from './output.ts'
import { spawnOn } from './server.ts'

const loadCore = 1
const childFile = join(import.meta.dirname, 'peers/autocannon.ts')

/** In place of wrk where it is missing: slower, so that fast servers look alike. */
export const beginAutocannon = async (load: Load): Promise<RunningLoad> => {
  const child = spawnOn(loadCore, [process.execPath, childFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  if (!child.stdin || !child.stdout) throw new Error('autocannon has no output')
  child.stdin.end(JSON.stringify(load))
  const output = outputOf(child.stdout)
  await output.begun
  return {
    pause: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    async end() {
      child.kill('SIGCONT')
      child.kill('SIGINT')
      return JSON.parse(await output.all) as Outcome
    },
  }
}
