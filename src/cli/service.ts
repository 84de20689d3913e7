import { Command } from 'commander'
import { type Answer, type Failure, RollcallError } from '#client/answer.ts'
import { type Rollcall, rollcall } from '#client/index.ts'
import {
  addUrlFlags,
  clientOptions,
  commandFailure,
  type FlagByField,
  remoteOf,
  unexpectedAnswer,
} from './remote.ts'
import { addDatabaseFlags, configOf } from './settings.ts'

/** The API of a running service, or of a service that this command opens on a database in its own process. */
export interface Service extends Rollcall {
  /** The value of an answer. For a refusal, throws an error with the message of the service and the flags of the refused fields. */
  value<T>(answer: Answer<T>, flags?: FlagByField): T
}

/** Adds the flags of a command that uses the API: on a database, or, with --url, of a running service. */
export const addServiceFlags = (command: Command) => addDatabaseFlags(addUrlFlags(command))

/**
 * The database that a command uses. `mustExist` and `readOnly` need an existing one, `mayCreate` creates a missing one, and
 * `dryRun` uses an empty one in memory in place of a missing one.
 */
export type DatabaseUse = 'mayCreate' | 'mustExist' | 'dryRun' | 'readOnly'

export type Work = (service: Service) => Promise<void>

export const withService = async (
  command: Command,
  work: Work,
  databaseUse: DatabaseUse = 'mustExist',
  isReadingStdin = false,
): Promise<void> => {
  const remote = await remoteOf(command, isReadingStdin)
  if (!remote) return (await import('./in-process.ts')).runInProcess(configOf(command), work, databaseUse)
  const client = rollcall(remote.base, clientOptions(remote))
  const done = runWork(client, work, (failure, flags) => commandFailure(remote, failure, flags))
  // If another program answers at this URL, its answers lack fields, and the work throws a TypeError.
  return done.catch((error) => {
    throw error instanceof TypeError ? unexpectedAnswer(remote, error.message) : error
  })
}

/** Sets the action of a command that uses the API. The action gets the service, the arguments and then the flags. */
export const apiAction = <Args extends unknown[]>(
  command: Command,
  work: (service: Service, ...args: Args) => Promise<void>,
  databaseUse?: DatabaseUse,
): Command =>
  command.action((...args: Args) => withService(command, (service) => work(service, ...args), databaseUse))

/** Does the work with the client. If the API answers with a failure, throws the error from `errorOf`. */
export const runWork = (
  client: Rollcall,
  work: Work,
  errorOf: (failure: Failure, flags?: FlagByField) => Error,
): Promise<void> => {
  const value = <A>(answer: Answer<A>, flags?: FlagByField): A => {
    if (answer.ok) return answer.value
    throw errorOf(answer, flags)
  }
  // Adds `value` to the client itself: a copy would lack the declared resources, which the client (a Proxy) makes on first use.
  return work(Object.assign(client, { value })).catch((error) => {
    throw error instanceof RollcallError ? errorOf(error.failure) : error
  })
}

export interface JsonFlag {
  readonly json?: true
}

export const apiCommand = (resource: string, verb: string, description: string, example: string) =>
  addServiceFlags(new Command(verb).description(description)).addHelpText(
    'after',
    `\nExample:\n  rollcall ${resource} ${verb} ${example}`,
  )

/** The flag of a field: `--first-name` for `firstName`. */
export const fieldFlag = (field: string) =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
