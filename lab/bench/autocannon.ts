import { join } from 'node:path'
import type { Load, Outcome, RunningLoad } from './load.ts'
import { loaderOf } from './loader.ts'
import { spawnOn } from './server.ts'

const loadCore = 1
const childFile = join(import.meta.dirname, 'peers/autocannon.ts')

/** Used where wrk is missing. It is slower, so fast servers look alike. */
export const beginAutocannon = async (load: Load): Promise<RunningLoad> => {
  const child = spawnOn(loadCore, [process.execPath, childFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  const loader = loaderOf(child)
  child.stdin?.end(JSON.stringify(load))
  await loader.started
  return {
    ...loader,
    async end() {
      loader.resume()
      loader.interrupt()
      return JSON.parse(await loader.output) as Outcome
    },
  }
}
