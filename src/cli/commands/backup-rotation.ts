import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { applicationId } from '#sql/sqlite/file-faults.ts'
import { UsageError } from '#src/cli/exit.ts'
import { nameFileInErrors } from '#src/cli/files.ts'

/** The file in which `backup --keep` lists the copies that it made in a folder, oldest first. It removes only these. */
const listName = '.rollcall-backups'

/**
 * Checks the name and the list before the copy is made. Returns a function that adds the new copy to the list, removes the
 * oldest copies whose names differ from the new one only in digits, and returns the paths of the removed copies.
 */
export const prepareRotation = (file: string, keep: number): (() => readonly string[]) => {
  const [folder, name] = [dirname(file), basename(file)]
  const list = join(folder, listName)
  if (!/\d/.test(name))
    throw new UsageError('--keep needs a date in the name of the copy, such as rollcall-$(date +%F).db.')
  const others = readList(list).filter((one) => one !== name)
  return () => {
    writeList(list, [...others, name])
    const copies = others.filter((one) => maskOf(one) === maskOf(name) && isDatabase(join(folder, one)))
    const removed = copies.slice(0, Math.max(0, copies.length + 1 - keep))
    for (const one of removed) rmSync(join(folder, one))
    writeList(list, [...others.filter((one) => !removed.includes(one)), name])
    return removed.map((one) => join(folder, one))
  }
}

const maskOf = (name: string) => name.replaceAll(/\d/g, '0')

const readList = (path: string): readonly string[] => {
  if (!existsSync(path)) return []
  try {
    const names: unknown = JSON.parse(nameFileInErrors(path, 'read', () => readFileSync(path, 'utf8')))
    if (Array.isArray(names)) return names.map((name) => basename(String(name)))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UsageError(
    `${path} is not a list of copies. Delete it to begin a new list; the copies made so far will then no longer be removed.`,
  )
}

const writeList = (path: string, names: readonly string[]) =>
  nameFileInErrors(path, 'written', () => {
    writeFileSync(`${path}.unfinished`, `${JSON.stringify(names, undefined, 2)}\n`)
    renameSync(`${path}.unfinished`, path)
  })

/** The offset of the application id in the header of a SQLite file. */
const applicationIdOffset = 68

const isDatabase = (path: string) => {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false
  const handle = openSync(path, 'r')
  try {
    const id = Buffer.alloc(4)
    readSync(handle, id, 0, id.length, applicationIdOffset)
    return id.readInt32BE() === applicationId
  } finally {
    closeSync(handle)
  }
}
