import { CommanderError } from 'commander'
import { causeOf } from '#core/cause.ts'
import { Problem } from '#core/problem.ts'
import { failureOf } from '#sql/sqlite/errors.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { SettingError } from '#src/config.ts'

export const exitCodes = { done: 0, askedToStop: 0, failed: 1, wrongUse: 2, unusableData: 3 } as const

/** What was asked for makes no sense, or cannot be done with the data as they are. The message says why. */
export class WrongUse extends Error {}

/** What was asked for was understood, and failed or was refused by the service. The message says why. */
export class Failed extends Error {}

/** The service refused. */
export class Refused extends Failed {
  /** Why as a whole, and what is wrong with each field or parameter. */
  readonly codes: readonly string[]

  constructor(message: string, codes: readonly string[]) {
    super(message)
    this.codes = codes
  }
}

/** What the process ends with after an error, once its sentence is said. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse
  if (error instanceof SettingError || error instanceof WrongUse) return exitCodes.wrongUse
  if (error instanceof DataUnusable || isRefusedByStorage(error)) return exitCodes.unusableData
  return exitCodes.failed
}

/** One clear sentence for what a person can mend; the whole stack for a mistake of ours. */
export const sentenceOf = (error: unknown): string | undefined => {
  if (error instanceof CommanderError) return undefined
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message
  if (isRefusedByStorage(error)) {
    const why = failureOf(error) === 'full' ? 'the disk is full' : causeOf(error)
    return `The storage does not answer as it must: ${why}.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const expected = [SettingError, DataUnusable, WrongUse, Failed]

const isRefusedByStorage = (error: unknown) => error instanceof Problem && error.kind === 'storageUnavailable'
