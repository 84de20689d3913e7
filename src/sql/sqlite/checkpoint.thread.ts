/** Checkpoints the WAL: copies its pages into the database file, as far as the readers of the WAL allow. */
import { DatabaseSync } from 'node:sqlite'
import type { Question } from './thread.ts'
import { answerQuestions, databasePath } from './thread-worker.ts'

export interface CheckpointQuestion extends Question {
  /** PASSIVE waits for nobody. FULL waits for readers of older states, RESTART and TRUNCATE wait for all readers of the WAL. */
  readonly mode: 'PASSIVE' | 'FULL' | 'RESTART' | 'TRUNCATE'
  readonly waitMs: number
}

export interface CheckpointResult {
  /** True if the checkpoint waited in vain for readers or writers. */
  readonly isBusy: boolean
  /** The number of pages in the WAL, and how many of them have been copied to the file. */
  readonly pages: number
  readonly checkpointed: number
}

const database = new DatabaseSync(databasePath(), { timeout: 0 })
database.exec('PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON')

answerQuestions<CheckpointQuestion, CheckpointResult>(({ mode, waitMs }) => {
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  const result = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  return {
    isBusy: result?.busy !== 0,
    pages: Number(result?.log),
    checkpointed: Number(result?.checkpointed),
  }
})
