import { WrongUse } from './exit.ts'

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
