import { CommanderError } from 'commander'
import { rootCauseOf } from '#core/cause.ts'
import { commonMessages } from '#core/messages.ts'
import { Problem } from '#core/problem.ts'
import { failureOf } from '#sql/sqlite/errors.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { SettingError } from '#src/config.ts'

export const exitCodes = { done: 0, stopped: 0, failed: 1, usageError: 2, unusableData: 3 } as const

/** The command line is wrong, or the present files or data do not allow the command. The message says why. */
export class UsageError extends Error {}

/** The command was understood, but failed or was refused by the service. The message says why. */
export class CommandFailed extends Error {}

export const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usageError
  if (error instanceof SettingError || error instanceof UsageError) return exitCodes.usageError
  if (error instanceof DataUnusable || isStorageFailure(error)) return exitCodes.unusableData
  return exitCodes.failed
}

/** A sentence if the user can fix the error, the whole stack if it is a bug of Rollcall. Undefined if commander has printed it. */
export const sentenceOf = (error: unknown): string | undefined => {
  if (error instanceof CommanderError) return undefined
  if (expectedErrors.some((type) => error instanceof type)) return (error as Error).message
  if (isStorageFailure(error)) {
    const why = failureOf(error) === 'full' ? 'the disk is full' : rootCauseOf(error)
    return `The storage is unavailable: ${why}.`
  }
  if (error instanceof Problem) return describeProblem(error)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const expectedErrors = [SettingError, DataUnusable, UsageError, CommandFailed]

/** The message that a caller of the API would get, and the cause, which only an operator may see. */
const describeProblem = ({ message, cause }: Problem) => {
  const words = commonMessages.en[message]
  return cause === undefined ? words : `${words.slice(0, -1)}: ${rootCauseOf(cause)}.`
}

const isStorageFailure = (error: unknown) => error instanceof Problem && error.kind === 'storageUnavailable'
