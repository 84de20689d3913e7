import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import { baseOf, caller } from '#client/calling.ts'
import type { Auth } from '#client/options.ts'
import { authorization, type Request } from '#client/sending.ts'
import { causeOf } from '#core/cause.ts'
import { refusedPorts } from '#src/config/forms.ts'
import { CommandFailed, UsageError } from './exit.ts'
import { orExplain } from './files.ts'
import { readSecret } from './secret-input.ts'

/** A running service, and the credential to use with it. */
export interface Remote {
  readonly base: string
  readonly auth: Auth | undefined
}

/** Adds the flags for a command that can use a running service. */
export const addUrl = (command: Command) =>
  command
    .addOption(
      new Option('--url <url>', 'use the service that runs there, such as http://127.0.0.1:8080').env(
        'ROLLCALL_URL',
      ),
    )
    .addOption(
      new Option(
        '--user <sign-id>',
        'sign in as this member or administrator; the password comes from ROLLCALL_PASSWORD or the terminal',
      ).env('ROLLCALL_USER'),
    )
    .addOption(
      new Option(
        '--token-file <file>',
        'a file with the token to use; or set ROLLCALL_TOKEN to the token itself',
      ),
    )

export const remoteOf = async (command: Command): Promise<Remote | undefined> => {
  const { url } = command.opts<{ url?: string }>()
  if (url === undefined || isDatabaseChosen(command)) return undefined
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new UsageError('--url must be http://… or https://….')
  if (refusedPorts.has(parsed.port))
    throw new UsageError(
      `--url must have another port than ${parsed.port}: fetch refuses that one as unsafe.`,
    )
  return { base: baseOf(parsed.origin + parsed.pathname), auth: await authOf(command) }
}

/** A database given as a flag takes precedence over a service named in the environment. */
const isDatabaseChosen = (command: Command): boolean => {
  if (command.getOptionValueSource('databaseUrl') !== 'cli') return false
  if (command.getOptionValueSource('url') === 'cli')
    throw new UsageError('--url and --database-url name two places: give only one.')
  return true
}

/** A flag takes precedence over the environment. */
const authOf = async (command: Command): Promise<Auth | undefined> => {
  const { user, tokenFile } = command.opts<{ user?: string; tokenFile?: string }>()
  if (tokenFile !== undefined) return { token: tokenIn(tokenFile) }
  const token = process.env.ROLLCALL_TOKEN
  if (token && command.getOptionValueSource('user') !== 'cli') return { token }
  if (user === undefined) return undefined
  const password = process.env.ROLLCALL_PASSWORD ?? (await readSecret(`Password of ${user}`))
  return { signId: user, password }
}

const tokenIn = (file: string) => {
  const token = orExplain(file, 'read', () => readFileSync(file, 'utf8').trim())
  if (token === '') throw new UsageError(`${file} holds no token.`)
  return token
}

/** A request to the API; the path is relative to its prefix. */
export type ApiRequest = Pick<Request, 'method' | 'path' | 'body' | 'key' | 'ifMatch' | 'isDoneAgain'>

/** Rate limits mostly count per minute, so a copy of many records waits for the next minute. */
const maxPauseMs = 65_000

/** Few enough that a person at a terminal learns within three seconds that no service answers. */
const retries = 4

/** Sends a request as the client does, with its retries. An answer that is not from the service is thrown as CommandFailed, as is 401. */
export const askRemote = async <T>({ base, auth }: Remote, request: ApiRequest): Promise<Answer<T>> => {
  const answer = await caller(base, { longestPauseMs: maxPauseMs, retries, auth })<T>(request)
  if (answer.ok) return answer
  if (answer.code === 'unsendable')
    throw new CommandFailed(`The request to ${base} cannot be sent: ${answer.message}.`)
  if (answer.code === 'unreachable') throw new CommandFailed(`${base} cannot be reached: ${answer.message}.`)
  if (answer.code === 'unintelligible') throw new CommandFailed(`${base}: ${answer.message}`)
  if (answer.status === 401) throw new CommandFailed(`${answer.message} ${signInHint(auth)}`)
  return answer
}

const signInHint = (auth: Auth | undefined) => {
  if (auth === undefined)
    return 'Sign in with --user (password from ROLLCALL_PASSWORD or the terminal) or --token-file.'
  return 'token' in auth ? 'The token is not accepted.' : 'The sign id or the password is wrong.'
}

/** The error for an answer that cannot have come from the service. */
export const unexpectedAnswer = ({ base }: Remote, why: string) =>
  new CommandFailed(`${base} does not answer like the service: ${why}.`)

/** The text of an answer, in pieces as they arrive. */
export async function* readRemote({ base, auth }: Remote, path: string): AsyncGenerator<string> {
  const headers = { Accept: 'application/json', ...(await authorization(auth)) }
  const answer = await fetch(base + path, { headers, redirect: 'manual' }).catch((error) => {
    throw new CommandFailed(`${base} cannot be reached: ${causeOf(error)}.`)
  })
  if (!answer.ok || !answer.body) throw new CommandFailed(`${base}${path} answered ${answer.status}.`)
  try {
    yield* answer.body.pipeThrough(new TextDecoderStream())
  } catch (error) {
    throw new CommandFailed(`The answer of ${base}${path} broke off: ${causeOf(error)}.`)
  }
}
