import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { sync } from '#sql/sqlite/sync.ts'
import { UsageError } from './exit.ts'
import { namingFile, orExplain } from './named-files.ts'

/** Writes a file that gets its name once it is complete and on disk; until then its name ends in `.unfinished`. */
export const makeWhole = async (file: string, write: (unfinished: string) => Promise<void>) => {
  if (existsSync(file)) throw new UsageError(`${file} already exists.`)
  const unfinished = `${file}.unfinished`
  orExplain(file, 'created', () => makePrivate(unfinished))
  try {
    await write(unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, file)
    sync(dirname(file), 'r')
  } catch (error) {
    throw namingFile(file, 'written', error)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** Creates an empty file that only its owner may read. */
const makePrivate = (path: string) => {
  rmSync(path, { force: true })
  closeSync(openSync(path, 'wx', 0o600))
}
