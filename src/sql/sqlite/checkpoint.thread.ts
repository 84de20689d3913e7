/** Checkpoints the WAL: copies its pages into the database file, as far as its readers allow. */
import { DatabaseSync } from 'node:sqlite'
import { answerWith, databasePath } from './answering.ts'
import type { Question } from './thread.ts'

export interface CheckpointQuestion extends Question {
  /** PASSIVE does not wait, FULL waits for readers of older states, RESTART and TRUNCATE for all readers of the WAL. */
  readonly mode: 'PASSIVE' | 'FULL' | 'RESTART' | 'TRUNCATE'
  readonly waitMs: number
}

export interface Checkpointed {
  /** Whether the readers or writers that it waited for did not finish in time. */
  readonly isBusy: boolean
  /** The number of pages in the WAL, and how many of them the file has. */
  readonly pages: number
  readonly checkpointed: number
}

const database = new DatabaseSync(databasePath(), { timeout: 0 })
database.exec('PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON')

answerWith<CheckpointQuestion, Checkpointed>(({ mode, waitMs }) => {
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  const state = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  return { isBusy: state?.busy !== 0, pages: Number(state?.log), checkpointed: Number(state?.checkpointed) }
})
