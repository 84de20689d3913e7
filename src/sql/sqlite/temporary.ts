import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { messageOf } from '#core/cause.ts'
import { DataUnusable } from '#sql/unusable.ts'

/** Creates a folder for a temporary database. At the latest, the folder is removed when the process exits. */
export const temporaryFolder = () => {
  const path = makeFolder()
  const rm = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', rm)
  const remove = () => {
    process.off('exit', rm)
    rm()
  }
  return { path, remove }
}

const makeFolder = () => {
  try {
    return mkdtempSync(join(tmpdir(), 'rollcall-'))
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    const why = errno === undefined ? messageOf(error) : getSystemErrorMessage(errno)
    throw new DataUnusable(
      'unreadable',
      `A database in memory needs a temporary folder, which cannot be created in ${tmpdir()}: ${why}. Set TMPDIR to another folder.`,
      error,
    )
  }
}
