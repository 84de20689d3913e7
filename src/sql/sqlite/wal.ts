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
import { raw } from '#sql/query.ts'
import type { Connection } from './connection.ts'
import { sync } from './sync.ts'
import { overwriteUnusedBytes } from './unused-bytes.ts'

/** The end of the WAL: the number of its frames, and its salt, which changes each time the WAL restarts from the beginning. */
interface WalEnd {
  readonly frames: number
  readonly salt: number
}

export type Wal = ReturnType<typeof wal>

/**
 * The WAL file. With `synchronous=NORMAL`, SQLite appends commits without a sync, and syncs only the header of a WAL that
 * restarts. `sync` makes a commit durable.
 */
export const wal = (path: string, onRestarted: () => void) => {
  const walFile = openSync(`${path}-wal`, 'r+')
  // The index says where the WAL ends (https://sqlite.org/walformat.html). The index stays open: closing it would drop SQLite's POSIX locks.
  const walIndex = openSync(`${path}-shm`, 'r')
  const databaseFile = openSync(path, 'r+')
  const indexHeader = new Uint32Array(9)
  const readEnd = (): WalEnd => {
    readSync(walIndex, indexHeader, 0, indexHeader.byteLength, 0)
    return { frames: indexHeader[4] as number, salt: indexHeader[8] as number }
  }
  sync(dirname(path), 'r')
  let syncMs = Number.POSITIVE_INFINITY
  let durableEnd = readEnd()
  let writtenEnd = durableEnd
  /** The number of durable frames in the WAL. Zero if the last commit restarted the WAL: the database file then has the earlier frames. */
  const durableFrames = () => (writtenEnd.salt === durableEnd.salt ? durableEnd.frames : 0)

  return {
    /** Call after a commit. True if the commit wrote frames, so that `sync` must follow. */
    hasUnsyncedFrames() {
      const before = writtenEnd
      writtenEnd = readEnd()
      if (writtenEnd.salt !== before.salt) onRestarted()
      return writtenEnd.salt !== durableEnd.salt || writtenEnd.frames !== durableEnd.frames
    },

    /** Syncs the WAL, on this thread if the last sync took less than `fastMs`. On macOS, Node uses F_FULLFSYNC. */
    async sync(fastMs: number) {
      const target = writtenEnd
      const fromMs = performance.now()
      if (syncMs < fastMs) fdatasyncSync(walFile)
      else await datasync(walFile)
      syncMs = performance.now() - fromMs
      durableEnd = target
    },

    /** Cuts off the frames that are not durable. No connection may use the WAL meanwhile. */
    cutOffUnsynced() {
      ftruncateSync(walFile, durableFrames() === 0 ? 0 : bytesOfFrames(walFile, durableEnd.frames))
      fsyncSync(walFile)
    },

    /**
     * Call after the writer was reopened. Throws if the index still counts the frames that were cut off: SQLite rebuilds the index
     * only if no other program has the database open.
     */
    requireCutOff() {
      const now = readEnd()
      if (now.frames !== durableFrames()) throw new Error('another program has the database open')
      durableEnd = now
      writtenEnd = now
    },

    /** Overwrites the unused bytes of the database file. The WAL must be empty. It stays empty. */
    async overwriteDeleted(writer: Connection) {
      // BEGIN makes the writer drop its cached pages if another connection has checkpointed. So the writer cannot write old bytes back.
      writer.command('BEGIN IMMEDIATE')
      try {
        // Another program may have written between the checkpoint and this transaction.
        if (fstatSync(walFile).size > 0) throw new Error('another program has written to the database')
        await overwriteUnusedBytes(databaseFile)
      } finally {
        writer.command('ROLLBACK')
      }
      writer.command(markErasureDone)
    },

    /** Call after closing the last connection. */
    close() {
      closeSync(databaseFile)
      closeSync(walFile)
      closeSync(walIndex)
    },
  }
}

const datasync = (file: number) =>
  new Promise<void>((resolve, reject) => {
    fdatasync(file, (error) => (error ? reject(error) : resolve()))
  })

/** A number in the file header tells whether deleted data still has to be overwritten. */
export const markErasurePending = 'PRAGMA user_version = 1'
const markErasureDone = 'PRAGMA user_version = 0'
export const isErasurePending = (writer: Connection) =>
  writer.rows(raw('PRAGMA user_version'))[0]?.user_version === 1

const headerBytes = 32
const frameHeaderBytes = 24

const bytesOfFrames = (file: number, frames: number) => {
  const header = Buffer.alloc(headerBytes)
  readSync(file, header, 0, headerBytes, 0)
  return headerBytes + frames * (frameHeaderBytes + header.readUInt32BE(8))
}

/** When the WAL restarts, SQLite truncates a longer file to this size. */
const maxRestartedWalBytes = 64 * 1_024 * 1_024

/** Turns on the WAL. With `NORMAL`, SQLite does not sync commits; `sync` does. */
export const enableWal = (writer: Connection, durable: boolean) => {
  writer.exec('PRAGMA journal_mode = WAL')
  // Checkpoints run on another thread. SQLite's automatic checkpoints would block this thread in a commit.
  writer.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${maxRestartedWalBytes}`)
  if (durable) writer.exec('PRAGMA synchronous = NORMAL')
}
