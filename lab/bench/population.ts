import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { killedOnExit } from '../../test/processes.ts'
import type { Peer } from './peers.ts'
import { type Place, startServer } from './server.ts'

interface Population {
  readonly from: number
  readonly to: number
  /** How many are inserted at once. */
  readonly lanes?: number
}

/**
 * Fills a database with members and as many todos, in a process of its own, which frees its memory when it ends. Returns the
 * time of a member in microseconds, without hashing a password.
 */
export const populate = async (peer: Peer, place: Place, { from, to, lanes = 512 }: Population) => {
  if (from === 0) await makeTables(peer, place)
  const { database } = place
  const url = database.includes('://') ? database : `sqlite:${database}`
  const args = [join(import.meta.dirname, 'populate.ts'), url, String(from), String(to), String(lanes)]
  const child = killedOnExit(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`filling the database ended with ${code}`)
  return Number(output)
}

/** The service creates them when it starts. */
const makeTables = async (peer: Peer, place: Place) => {
  const server = await startServer(peer, place)
  await server.stop()
}
