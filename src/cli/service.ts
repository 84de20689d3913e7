import { Command } from 'commander'
import { type Answer, type Failure, RollcallError } from '#client/answer.ts'
import { type Rollcall, rollcall } from '#client/index.ts'
import { addUrl, commandFailure, connection, type Flags, remoteOf, unexpectedAnswer } from './remote.ts'
import { configOf, onDatabase } from './settings.ts'

/** The API of a running service, or of one opened on a database for this command. */
export interface Service extends Rollcall {
  /** The value of an answer. Throws a refusal with its message and the flags of the refused fields. */
  value<T>(answer: Answer<T>, flags?: Flags): T
}

/** A command that uses the API, on a database or, with --url, of a running service. */
export const withServiceFlags = (command: Command) => onDatabase(addUrl(command))

/**
 * How a command uses its database: `adds` may create it, `tries` uses an empty one in memory if there is none, and `reads`
 * changes nothing.
 */
export type DatabaseUse = 'adds' | 'changes' | 'tries' | 'reads'

export type Work = (service: Service) => Promise<void>

export const withService = async (
  command: Command,
  work: Work,
  manner: DatabaseUse = 'changes',
  isInputTaken = false,
): Promise<void> => {
  const remote = await remoteOf(command, isInputTaken)
  if (!remote) return (await import('./own-service.ts')).withOwnService(configOf(command), work, manner)
  const client = rollcall(remote.base, connection(remote))
  const ended = runWork(client, work, (failure, flags) => commandFailure(remote, failure, flags))
  // An answer from another program may lack any field that the work expects.
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

/** Does the work. `errorOf` makes the error that is thrown for a failure of the API. */
export const runWork = (
  client: Rollcall,
  work: Work,
  errorOf: (failure: Failure, flags?: Flags) => Error,
): Promise<void> => {
  const value = <A>(answer: Answer<A>, flags?: Flags): A => {
    if (answer.ok) return answer.value
    throw errorOf(answer, flags)
  }
  // A copy of the client would have no declared resources.
  return work(Object.assign(client, { value })).catch((error) => {
    throw error instanceof RollcallError ? errorOf(error.failure) : error
  })
}

export interface Json {
  readonly json?: true
}

/** A command of a resource that uses the API. */
export const apiCommand = (resource: string, verb: string, description: string, example: string) =>
  withServiceFlags(new Command(verb).description(description)).addHelpText(
    'after',
    `\nExample:\n  rollcall ${resource} ${verb} ${example}`,
  )

/** `firstName` is `--first-name`. */
export const flagOf = (field: string) =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
