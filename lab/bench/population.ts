import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { killedOnExit } from '../../test/processes.ts'
import type { Peer } from './peers.ts'
import { type Place, startServer } from './server.ts'

/** The time of one insert at this size, 32 at once, without hashing a password. */
export interface Inserts {
  readonly memberInsertMs: number
  readonly todoInsertMs: number
  /** How many of each were added while timing. */
  readonly added: number
}

/** Fills a database with members and as many todos, in a process of its own, which frees its memory when it ends. */
export const populate = async (peer: Peer, place: Place, { from, to }: { from: number; to: number }) => {
  if (from === 0) await makeTables(peer, place)
  const { database } = place
  const url = database.includes('://') ? database : `sqlite:${database}`
  const args = [join(import.meta.dirname, 'populate.ts'), url, String(from), String(to)]
  const child = killedOnExit(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`filling the database ended with ${code}`)
  return JSON.parse(output) as Inserts
}

/** The service creates them when it starts. */
const makeTables = async (peer: Peer, place: Place) => {
  const server = await startServer(peer, place)
  await server.stop()
}
