import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { withUs } from './ending.ts'
import type { Peer } from './peers.ts'
import { type Place, startServer } from './server.ts'

/** What one insert took at this size, 32 at once, with all but the hashing of a password. */
export interface Inserts {
  readonly memberInsertMs: number
  readonly todoInsertMs: number
  /** How many of each came on top. */
  readonly added: number
}

/** Fills a database with members and as many todos, in a process of its own, whose memory ends with it. */
export const populate = async (peer: Peer, place: Place, { from, to }: { from: number; to: number }) => {
  if (from === 0) await makeTables(peer, place)
  const { database } = place
  const url = database.includes('://') ? database : `sqlite:${database}`
  const args = [join(import.meta.dirname, 'populate.ts'), url, String(from), String(to)]
  const child = withUs(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`filling the database ended with ${code}`)
  return JSON.parse(output) as Inserts
}

/** The service makes them when it starts. */
const makeTables = async (peer: Peer, place: Place) => {
  const server = await startServer(peer, place)
  await server.stop()
}
