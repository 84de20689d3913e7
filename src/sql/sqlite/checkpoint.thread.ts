/** Folds the log into the file, as far as no reader needs it. */
import { DatabaseSync } from 'node:sqlite'
import { answerWith, databasePath } from './answering.ts'
import type { Question } from './thread.ts'

export interface CheckpointQuestion extends Question {
  /** PASSIVE waits for nobody, FULL for those who read of an older state, RESTART for all who read of the log. */
  readonly mode: 'PASSIVE' | 'FULL' | 'RESTART'
  readonly waitMs: number
}

export interface Checkpointed {
  /** Whoever was waited for did not go. */
  readonly isBusy: boolean
  /** Of the log, and how many of them are in the file. */
  readonly pages: number
  readonly folded: number
}

const database = new DatabaseSync(databasePath(), { timeout: 0 })
database.exec('PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON')

answerWith<CheckpointQuestion, Checkpointed>(({ mode, waitMs }) => {
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  const state = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  return { isBusy: state?.busy !== 0, pages: Number(state?.log), folded: Number(state?.checkpointed) }
})
