import type { Command } from 'commander'
import type { ErrorBody } from '#http/wire/errors.ts'
import { Refused } from './exit.ts'
import { visible } from './output.ts'
import { type ApiRequest, addUrl, askRemote, type Remote, remoteOf, unexpectedAnswer } from './remote.ts'
import { configOf, onDatabase } from './settings.ts'

/** The API of a running service, or of one opened on a database for this command. */
export interface Service {
  /** Returns what the API answered. A refusal is thrown with its message and the flags that its fields come from. */
  ask<T>(request: ApiRequest, flags?: Flags): Promise<T>
}

/** A command that uses the API, on a database or, with --url, of a running service. */
export const onService = (command: Command) => onDatabase(addUrl(command))

/** What a command does. One that adds may create the database; one that reads changes nothing in it. */
export type Manner = 'adds' | 'changes' | 'reads'

export const withService = async <T>(
  command: Command,
  work: (service: Service) => Promise<T>,
  manner: Manner = 'changes',
): Promise<T> => {
  const remote = await remoteOf(command)
  if (remote) return withRemoteService(remote, work)
  const { withOwnService } = await import('./own-service.ts')
  return withOwnService(configOf(command), work, manner)
}

const withRemoteService = <T>(remote: Remote, work: (service: Service) => Promise<T>): Promise<T> => {
  const ask = async <A>(request: ApiRequest, flags?: Flags) => {
    const answer = await askRemote<A>(remote, request)
    if (answer.ok) return answer.value
    throw refusal(answer, request.path, flags)
  }
  // An answer from another program may lack any field that the work expects.
  return work({ ask }).catch((error) => {
    throw error instanceof TypeError ? unexpectedAnswer(remote, error.message) : error
  })
}

/** The flags of a command, by the fields of the body that they fill. */
export type Flags = Readonly<Record<string, string>>

/** A refusal of the API in the words of the command. */
export const refusal = (
  { code, message, details = [] }: Pick<ErrorBody, 'code' | 'message' | 'details'>,
  path: string,
  flags: Flags = {},
) => {
  const lines = details.map(({ target = '', message }) =>
    Object.hasOwn(flags, target) ? `${flags[target]}: ${message}` : message,
  )
  const text = [withIds(message, path), ...lines].map(visible).join('\n  ')
  return new Refused(text, [code, ...details.map(({ code }) => code)])
}

/** The service quotes an id as it appears in the path; this shows it without escapes, as the user typed it. */
const withIds = (message: string, path: string) =>
  (path.split('?')[0] ?? '')
    .split('/')
    .filter((segment) => segment.includes('%'))
    .reduce((text, segment) => text.replaceAll(segment, () => decodeURIComponent(segment)), message)
