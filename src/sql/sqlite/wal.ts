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

/** The end of the WAL: its number of frames, and its salt, which changes each time the WAL restarts from the beginning. */
interface End {
  readonly frames: number
  readonly salt: number
}

export type Wal = ReturnType<typeof wal>

/**
 * The WAL file. With `synchronous=NORMAL`, SQLite appends commits without a sync, and syncs only the header of a WAL that
 * restarts. The sync here makes a commit durable.
 */
export const wal = (path: string, restarted: () => void) => {
  const log = openSync(`${path}-wal`, 'r+')
  // The index says where the WAL ends (https://sqlite.org/walformat.html). Closing it would drop SQLite's POSIX locks.
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
  /** How many frames of the WAL are durable: none if the last commit restarted it, because the earlier frames are in the database file. */
  const durableFrames = () => (written.salt === durable.salt ? durable.frames : 0)

  return {
    /** Whether the last commit wrote frames. Then `sync` must follow. */
    hasGrown() {
      const before = written
      written = end()
      if (written.salt !== before.salt) restarted()
      return written.salt !== durable.salt || written.frames !== durable.frames
    },

    /** Syncs the WAL, on this thread if the last sync took less than `fastMs`. On macOS, Node uses F_FULLFSYNC. */
    async sync(fastMs: number) {
      const target = written
      const fromMs = performance.now()
      if (syncMs < fastMs) fdatasyncSync(log)
      else await datasync(log)
      syncMs = performance.now() - fromMs
      durable = target
    },

    /** Cuts off the frames that are not durable. Nobody may use the WAL meanwhile. */
    cut() {
      ftruncateSync(log, durableFrames() === 0 ? 0 : byteAfter(log, durable.frames))
      fsyncSync(log)
    },

    /**
     * Call after the writer was reopened. Throws if SQLite still counts the frames that were cut off: SQLite rebuilds the index only
     * if no other program has the database open.
     */
    reopened() {
      const now = end()
      if (now.frames !== durableFrames()) throw new Error('another program has the database open')
      durable = now
      written = now
    },

    /** Overwrites the unused bytes of the database file. The WAL must be empty, and stays empty. */
    async scrub(writer: Connection) {
      // The checkpoint of another connection makes the writer drop its cached pages, so it cannot write old bytes back.
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

    /** Call after closing the last connection. */
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

/** A mark in the file header: deleted data has not been overwritten yet. */
export const erasureIsPending = 'PRAGMA user_version = 1'
const erasureIsDone = 'PRAGMA user_version = 0'

const headerBytes = 32
const frameHeaderBytes = 24

const byteAfter = (log: number, frames: number) => {
  const header = Buffer.alloc(headerBytes)
  readSync(log, header, 0, headerBytes, 0)
  return headerBytes + frames * (frameHeaderBytes + header.readUInt32BE(8))
}

/** A restart truncates a longer WAL to this size. */
const keptWalBytes = 64 * 1_024 * 1_024

/** With `NORMAL`, SQLite leaves the sync of commits to us. */
export const useWal = (writer: Connection, durable: boolean) => {
  writer.exec('PRAGMA journal_mode = WAL')
  // Checkpoints have their own thread. SQLite's automatic ones would block the main thread in a commit.
  writer.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${keptWalBytes}`)
  if (durable) writer.exec('PRAGMA synchronous = NORMAL')
}
