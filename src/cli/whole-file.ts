import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { WrongUse } from './exit.ts'

/** Makes a file that gets its name when it is whole and on the disk: what was cut off is called `.unfinished`. */
export const makeWhole = async (file: string, write: (unfinished: string) => Promise<void>) => {
  if (existsSync(file)) throw new WrongUse(`${file} is there already.`)
  const unfinished = `${file}.unfinished`
  orSay(file, 'made', () => makePrivate(unfinished))
  try {
    await write(unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, file)
    sync(dirname(file), 'r')
  } catch (error) {
    throw said(file, 'written', error)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

export const sync = (path: string, flags: 'r' | 'r+') => {
  const descriptor = openSync(path, flags)
  fsyncSync(descriptor)
  closeSync(descriptor)
}

type Done = 'made' | 'read' | 'written'

/** What the system says against a file that somebody named becomes a sentence that names it. */
export const orSay = <T>(file: string, done: Done, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw said(file, done, error)
  }
}

/** As orSay, of what was thrown. Errors that are not the system's stay what they are. */
export const said = (file: string, done: Done, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error
    ? new WrongUse(`${file} cannot be ${done}: ${error.message}.`)
    : error

/** For its owner alone. */
const makePrivate = (path: string) => {
  rmSync(path, { force: true })
  closeSync(openSync(path, 'wx', 0o600))
}
