import { fstatSync, statSync } from 'node:fs'
import { UsageError } from './exit.ts'
import { namingFile } from './named-files.ts'

/** Writes a line that is never shown again to standard error. Throws if nobody can read it there. */
export const showOnce = async (line: string) => {
  if (isDiscarded(process.stderr.fd)) throw new UsageError(discardedWords)
  try {
    await write(`${line}\n`)
  } catch (error) {
    throw namingFile('Standard error', 'written', error)
  }
}

const discardedWords =
  'Standard error is closed or discarded, so nobody would see the password of the new administrator. Set ADMIN_SIGN_ID and ADMIN_PASSWORD.'

/** Node opens the null device in place of a standard error that is closed. */
const isDiscarded = (fd: number) => {
  const nowhere = statSync('/dev/null', { throwIfNoEntry: false })
  return nowhere !== undefined && fstatSync(fd).rdev === nowhere.rdev
}

const write = (text: string) =>
  new Promise<void>((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()))
  })
