import { WrongUse } from './exit.ts'

type Done = 'made' | 'read' | 'written'

/** Turns an error of the system about a file that somebody named into a sentence with its name. */
export const orSay = <T>(file: string, done: Done, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw namingFile(file, done, error)
  }
}

/** The same for an error that was thrown already. Errors that are not of the system are left as they are. */
export const namingFile = (file: string, done: Done, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error
    ? new WrongUse(`${file} cannot be ${done}: ${error.message}.`)
    : error
