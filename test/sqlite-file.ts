import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newLogName } from '#ledger/change-reader.ts'
import { freshFolder } from './fresh-folder.ts'

/** The URL of a new file. */
export const freshFile = (): string => `sqlite:${join(freshFolder(), 'test.db')}`

/** The URL of a new file for a service. It has the tables already if the run has a file to copy. */
export const serviceFile = (): string => {
  const url = freshFile()
  if (!process.env.TEST_FILE_TEMPLATE) return url
  const path = url.slice('sqlite:'.length)
  copyFileSync(process.env.TEST_FILE_TEMPLATE, path)
  const file = new DatabaseSync(path)
  file.exec(`PRAGMA synchronous = OFF; ${newLogName}`)
  file.close()
  return url
}
