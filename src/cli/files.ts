import { closeSync, createReadStream, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { sync } from '#sql/sqlite/sync.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { UsageError } from './exit.ts'

type Action = 'created' | 'read' | 'written'

/** Does the work. Makes the message of a system error name the file. */
export const nameFileInErrors = <T>(file: string, action: Action, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw asFileError(file, action, error)
  }
}

/** Turns a system error into one whose message names the file. Returns any other error unchanged. */
export const asFileError = (file: string, action: Action, error: unknown): unknown => {
  if (!(error instanceof Error && 'syscall' in error)) return error
  const { code = '', errno, message } = error as NodeJS.ErrnoException
  const diskFault = diskFaults[code]
  // Node repeats the path in its message.
  const reason = errno === undefined ? message : getSystemErrorMessage(errno)
  if (diskFault === undefined) return new UsageError(`${file} cannot be ${action}: ${reason}.`)
  return new DataUnusable('unreadable', `${file} cannot be ${action}: ${diskFault}.`, error)
}

/** Errors of the disk, not of the command line: the same command may succeed later. */
const diskFaults: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
}

/** The content of a file, with its size. For `-`, the content of standard input, whose size is unknown. */
export const readChunks = async (file: string) => {
  if (file === '-')
    return { chunks: process.stdin as AsyncIterable<Buffer<ArrayBuffer>>, sizeBytes: undefined }
  try {
    const stats = await stat(file)
    // Opening a named pipe blocks until a writer connects.
    if (!stats.isFile()) throw new UsageError(`${file} is not a regular file.`)
    await access(file, constants.R_OK)
    return { chunks: createReadStream(file) as AsyncIterable<Buffer<ArrayBuffer>>, sizeBytes: stats.size }
  } catch (error) {
    throw asFileError(file, 'read', error)
  }
}

/** Writes a file under a name that ends in `.unfinished`, and renames the file once it is complete and on disk. */
export const writeAtomically = async (file: string, write: (unfinished: string) => Promise<void>) => {
  if (existsSync(file)) throw new UsageError(`${file} already exists.`)
  const unfinished = `${file}.unfinished`
  nameFileInErrors(file, 'created', () => {
    rmSync(unfinished, { force: true })
    // Only the owner may read the file.
    closeSync(openSync(unfinished, 'wx', 0o600))
  })
  try {
    await write(unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, file)
    sync(dirname(file), 'r')
  } catch (error) {
    throw asFileError(file, 'written', error)
  } finally {
    rmSync(unfinished, { force: true })
  }
}
