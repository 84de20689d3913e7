import { Command } from 'commander'
import { type Answer, type Failure, RollcallError } from '#client/answer.ts'
import { type Rollcall, rollcall } from '#client/index.ts'
import {
  addUrl,
  clientOptions,
  commandFailure,
  type FlagByField,
  remoteOf,
  unexpectedAnswer,
} from './remote.ts'
import { addDatabaseFlags, configOf } from './settings.ts'

/** The API of a running service, or of one opened on a database for this command. */
export interface Service extends Rollcall {
  /** The value of an answer. If the service refused, throws an error with its message that names the flags of the refused fields. */
  value<T>(answer: Answer<T>, flags?: FlagByField): T
}

/** Adds the flags of a command that uses the API, either on a database or, with --url, in a running service. */
export const withServiceFlags = (command: Command) => addDatabaseFlags(addUrl(command))

/**
 * How a command uses its database: `changes` needs an existing one, `adds` may create it, `tries` uses an empty one in memory
 * if there is none, and `reads` changes nothing.
 */
export type DatabaseUse = 'adds' | 'changes' | 'tries' | 'reads'

export type Work = (service: Service) => Promise<void>

export const withService = async (
  command: Command,
  work: Work,
  manner: DatabaseUse = 'changes',
  readsStdin = false,
): Promise<void> => {
  const remote = await remoteOf(command, readsStdin)
  if (!remote) return (await import('./own-service.ts')).withOwnService(configOf(command), work, manner)
  const client = rollcall(remote.base, clientOptions(remote))
  const ended = runWork(client, work, (failure, flags) => commandFailure(remote, failure, flags))
  // If another program answers at this URL, fields are missing and the work throws a TypeError.
  return ended.catch((error) => {
    throw error instanceof TypeError ? unexpectedAnswer(remote, error.message) : error
  })
}

/** Sets the action of a command that uses the API. The action gets the arguments, then the flags. */
export const apiAction = <Given extends unknown[]>(
  command: Command,
  work: (service: Service, ...given: Given) => Promise<void>,
  manner?: DatabaseUse,
): Command =>
  command.action((...given: Given) => withService(command, (service) => work(service, ...given), manner))

/** Does the work with the client. If the API answers with a failure, throws the error that `errorOf` makes of it. */
export const runWork = (
  client: Rollcall,
  work: Work,
  errorOf: (failure: Failure, flags?: FlagByField) => Error,
): Promise<void> => {
  const value = <A>(answer: Answer<A>, flags?: FlagByField): A => {
    if (answer.ok) return answer.value
    throw errorOf(answer, flags)
  }
  // Not a copy: the client is a Proxy that makes declared resources when they are first read.
  return work(Object.assign(client, { value })).catch((error) => {
    throw error instanceof RollcallError ? errorOf(error.failure) : error
  })
}

export interface JsonFlag {
  readonly json?: true
}

/** A command of a resource that uses the API. */
export const apiCommand = (resource: string, verb: string, description: string, example: string) =>
  withServiceFlags(new Command(verb).description(description)).addHelpText(
    'after',
    `\nExample:\n  rollcall ${resource} ${verb} ${example}`,
  )

/** `firstName` is `--first-name`. */
export const fieldFlag = (field: string) =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
