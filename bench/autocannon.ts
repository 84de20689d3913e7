import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Load, Outcome } from './load.ts'
import { spawnOn } from './server.ts'

const loadCore = 1
const childFile = join(import.meta.dirname, 'peers/autocannon.ts')

/** In place of wrk where it is missing: slower, so that fast servers look alike. */
export const autocannon = async (load: Load): Promise<Outcome> => {
  const child = spawnOn(loadCore, [process.execPath, childFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  if (!child.stdin || !child.stdout) throw new Error('autocannon has no output')
  child.stdin.end(JSON.stringify(load))
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(output) as Outcome
}
