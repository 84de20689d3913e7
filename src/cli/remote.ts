import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { type Failure, type FailureCode, failureFrom, failureWithoutAnswer, isDone } from '#client/answer.ts'
import { baseOf } from '#client/call.ts'
import type { Auth, ClientOptions } from '#client/options.ts'
import { authorization } from '#client/sending.ts'
import { rootCauseOf } from '#core/cause.ts'
import { codeOfKind } from '#core/problem.ts'
import { CommandFailed, UsageError } from './exit.ts'
import { nameFileInErrors } from './files.ts'
import { escapeControls } from './output.ts'
import { readSecret } from './secret-input.ts'

/** A running service, and the credential to use with it. */
export interface Remote {
  readonly base: string
  readonly auth: Auth | undefined
}

const userHelp =
  'sign in as this member or administrator; the password comes from ROLLCALL_PASSWORD or the terminal'
const tokenHelp = 'a file with the token to use; or set ROLLCALL_TOKEN to the token itself'

export const addUrlFlags = (command: Command) =>
  command
    .addOption(
      new Option('--url <url>', 'use the service that runs there, such as http://127.0.0.1:8080').env(
        'ROLLCALL_URL',
      ),
    )
    .addOption(new Option('--user <sign-id>', userHelp).env('ROLLCALL_USER'))
    .option('--token-file <file>', tokenHelp)

interface RemoteOptions {
  readonly url?: string
  readonly user?: string
  readonly tokenFile?: string
}

/** The service that a command names. A command that reads data from standard input cannot read the password from there too. */
export const remoteOf = async (command: Command, isReadingStdin = false): Promise<Remote | undefined> => {
  const { url, user, tokenFile } = command.opts<RemoteOptions>()
  if (url === undefined || isDatabaseChosen(command)) return undefined
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    const isAddress = URL.canParse(`http://${url}`) && !/[@/]/.test(url)
    const remedy = isAddress ? `: add http:// before ${url}` : ''
    throw new UsageError(`--url must be http://… or https://…${remedy}.`)
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError('--url must hold no user and no password: see --user.')
  const base = baseOf(parsed.origin + parsed.pathname)
  const { ROLLCALL_TOKEN: token, ROLLCALL_PASSWORD: password } = process.env
  // A flag takes precedence over the environment.
  if (tokenFile !== undefined) return { base, auth: { token: tokenIn(tokenFile) } }
  if (token && command.getOptionValueSource('user') !== 'cli') return { base, auth: { token } }
  if (user === undefined) return { base, auth: undefined }
  if (password === undefined && isReadingStdin)
    throw new UsageError('The import reads standard input: give the password in ROLLCALL_PASSWORD.')
  return { base, auth: { signId: user, password: password ?? (await readSecret(`Password of ${user}`)) } }
}

/** True if a flag names a database: the flag takes precedence over ROLLCALL_URL. */
export const isDatabaseChosen = (command: Command): boolean => {
  if (command.getOptionValueSource('databaseUrl') !== 'cli') return false
  if (command.getOptionValueSource('url') === 'cli')
    throw new UsageError('--url and --database-url name two places: give only one.')
  return true
}

const tokenIn = (file: string) => {
  const token = nameFileInErrors(file, 'read', () => readFileSync(file, 'utf8').trim())
  if (token === '') throw new UsageError(`${file} holds no token.`)
  return token
}

/** Longer than a minute: most rate limits count per minute, so a command with many requests waits for the next minute. */
const longestPauseMs = 65_000

/** The number of retries. It is low, so that a command reports within three seconds that no service answers. */
const retries = 4

export const clientOptions = ({ auth }: Remote): ClientOptions => ({ longestPauseMs, retries, auth })

/** Flags of a command, by the fields of its request. */
export type FlagByField = Readonly<Record<string, string>>

/** The error of a command whose request failed. */
export const commandFailure = (
  { base, auth }: Remote,
  failure: Failure,
  flags?: FlagByField,
): CommandFailed => {
  const { code, message, status } = failure
  if (code === 'unsendable') return new CommandFailed(`The request to ${base} cannot be sent: ${message}.`)
  if (code === 'unreachable') return new CommandFailed(`${base} cannot be reached: ${message}.`)
  if (code === 'unintelligible') return new CommandFailed(`${base}: ${message}`)
  if (status === 401) return new CommandFailed(`${message} ${signInHint(auth)}`)
  return refusalFailure(failure, flags)
}

/** The error of a command whose request the API refused. It names flags in place of fields. */
export const refusalFailure = (failure: Failure, flags: FlagByField = {}): CommandFailed => {
  const { code, message, details } = failure
  const lines = details.map(({ target = '', message, allowed }) => {
    const choices = allowed ? ` Choose from: ${allowed.join(', ')}.` : ''
    return (Object.hasOwn(flags, target) ? `${flags[target]}: ${message}` : message) + choices
  })
  const isAboutRequest = lines.length > 0 && requestCodes.includes(code)
  return new CommandFailed([...(isAboutRequest ? [] : [message]), ...lines].map(escapeControls).join('\n  '))
}

/** The codes whose messages name the body or the parameters of the request, which the user of a command does not see. */
const requestCodes: readonly string[] = [
  codeOfKind.bodyInvalid,
  codeOfKind.bodyUnreadable,
  codeOfKind.parametersInvalid,
]

const signInHint = (auth: Auth | undefined) => {
  if (auth === undefined)
    return 'Sign in with --user (password from ROLLCALL_PASSWORD or the terminal) or --token-file.'
  return 'token' in auth ? 'The token is not accepted.' : 'The sign id or the password is wrong.'
}

/** The error for an answer that cannot have come from the service. */
export const unexpectedAnswer = ({ base }: Remote, why: string) =>
  new CommandFailed(`${base} does not answer like the service: ${why}.`)

export async function* readRemote(remote: Remote, path: string): AsyncGenerator<string> {
  const { base, auth } = remote
  const headers = {
    Accept: 'application/json',
    ...(await authorization(auth).catch(throwAsFailure(remote, 'unsendable'))),
  }
  const answer = await fetch(base + path, { headers, redirect: 'manual' }).catch(
    throwAsFailure(remote, 'unreachable'),
  )
  if (!isDone(answer) || !answer.body)
    throw commandFailure(remote, failureFrom(answer, await answer.json().catch(() => undefined), ''))
  try {
    yield* answer.body.pipeThrough(new TextDecoderStream())
  } catch (error) {
    throw new CommandFailed(`The answer of ${base}${path} broke off: ${rootCauseOf(error)}.`)
  }
}

const throwAsFailure = (remote: Remote, code: FailureCode) => (error: unknown) => {
  throw commandFailure(remote, failureWithoutAnswer(code, error, ''))
}
