import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Connection } from './connection.ts'
import { scrub } from './scrub.ts'
import { sync } from './sync.ts'

/** How many frames the WAL holds. Its salt changes each time it restarts from the beginning. */
interface End {
  readonly frames: number
  readonly salt: number
}

export type Wal = ReturnType<typeof wal>

/**
 * The file of the WAL. With `synchronous=NORMAL`, SQLite appends commits to it, and syncs by itself only the header of a WAL
 * that restarts. What makes a commit durable is the sync here.
 */
export const wal = (path: string, restarted: () => void) => {
  const log = openSync(`${path}-wal`, 'r+')
  // Its header says where the WAL ends (https://sqlite.org/walformat.html). To close it drops SQLite's locks (POSIX).
  const index = openSync(`${path}-shm`, 'r')
  const file = openSync(path, 'r+')
  const words = new Uint32Array(9)
  const end = (): End => {
    readSync(index, words, 0, words.byteLength, 0)
    return { frames: words[4] as number, salt: words[8] as number }
  }
  sync(dirname(path), 'r')
  let syncMs = Number.POSITIVE_INFINITY
  let durable = end()
  let written = durable
  /** How many frames stay if the last commit is cut off. A WAL that restarted was in the database file before, all of it. */
  const lasting = () => (written.salt === durable.salt ? durable.frames : 0)

  return {
    /** Whether the last commit wrote anything: then `sync` must follow. */
    hasGrown() {
      const before = written
      written = end()
      if (written.salt !== before.salt) restarted()
      return written.salt !== durable.salt || written.frames !== durable.frames
    },

    /**
     * Makes durable what has been written: on this thread, if the last sync took less than `fastMs`. On macOS, Node asks for
     * F_FULLFSYNC.
     */
    async sync(fastMs: number) {
      const target = written
      const fromMs = performance.now()
      if (syncMs < fastMs) fdatasyncSync(log)
      else await datasync(log)
      syncMs = performance.now() - fromMs
      durable = target
    },

    /** Cuts off what has not become durable. Nobody may read or write it meanwhile. */
    cut() {
      ftruncateSync(log, lasting() === 0 ? 0 : byteAfter(log, durable.frames))
      fsyncSync(log)
    },

    /**
     * To be called when the writer has been opened anew. Throws if SQLite still knows what was cut off: it makes the index
     * anew only if no other program has the database open.
     */
    reopened() {
      const now = end()
      if (now.frames !== lasting()) throw new Error('another program has the database open')
      durable = now
      written = now
    },

    /** Overwrites what was deleted, where the file has no content. The WAL must be empty, and stays so. */
    async scrub(writer: Connection) {
      // The checkpoint of another connection makes the writer forget its pages, and with them what is overwritten now.
      writer.command('BEGIN IMMEDIATE')
      try {
        // Another program may have written between the checkpoint and this transaction.
        if (fstatSync(log).size > 0) throw new Error('another program has written to the database')
        await scrub(file)
      } finally {
        writer.command('ROLLBACK')
      }
      writer.command(erasureIsDone)
    },

    /** After the last connection. */
    close() {
      closeSync(file)
      closeSync(log)
      closeSync(index)
    },
  }
}

const datasync = (file: number) =>
  new Promise<void>((resolve, reject) => {
    fdatasync(file, (error) => (error ? reject(error) : resolve()))
  })

/** In the header of the file: what was deleted is still to be overwritten. */
export const erasureIsPending = 'PRAGMA user_version = 1'
const erasureIsDone = 'PRAGMA user_version = 0'

const headerBytes = 32
const frameHeaderBytes = 24

const byteAfter = (log: number, frames: number) => {
  const header = Buffer.alloc(headerBytes)
  readSync(log, header, 0, headerBytes, 0)
  return headerBytes + frames * (frameHeaderBytes + header.readUInt32BE(8))
}

/** A longer WAL is truncated to this size when it restarts. */
const keptLogBytes = 64 * 1_024 * 1_024

/** `NORMAL` leaves the sync of commits to us. */
export const useWal = (writer: Connection, durable: boolean) => {
  writer.exec('PRAGMA journal_mode = WAL')
  // Checkpoints have their own thread: SQLite's automatic ones would hold up everybody at a commit.
  writer.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${keptLogBytes}`)
  if (durable) writer.exec('PRAGMA synchronous = NORMAL')
}
