/** Folds the log into the file, as far as no reader needs it. */
import { DatabaseSync } from 'node:sqlite'
import { answerWith, databasePath } from './answering.ts'
import type { Question } from './thread.ts'

const database = new DatabaseSync(databasePath(), { timeout: 0 })
database.exec('PRAGMA synchronous = FULL; PRAGMA checkpoint_fullfsync = ON')
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

/** Answers how many pages of the log are still needed. */
answerWith<Question, number>(() => {
  const state = checkpoint.get()
  return Number(state?.log) - Number(state?.checkpointed)
})
