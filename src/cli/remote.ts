import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { Failed, WrongUse } from './exit.ts'
import { orSay } from './named-files.ts'
import { readSecret } from './secret-input.ts'

/** A running service, and who asks it. */
export interface Remote {
  readonly base: string
  readonly authorization: string | undefined
}

export interface RemoteAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}

/** Gives a command the flags that send it to a running service. */
export const addUrl = (command: Command) =>
  command
    .addOption(
      new Option('--url <url>', 'ask the service that runs there, such as http://127.0.0.1:8080').env(
        'ROLLCALL_URL',
      ),
    )
    .addOption(
      new Option('--user <sign-id>', 'who asks; the password from ROLLCALL_PASSWORD or the terminal').env(
        'ROLLCALL_USER',
      ),
    )
    .addOption(new Option('--token-file <file>', 'holds the token to show'))

export const remoteOf = async (command: Command): Promise<Remote | undefined> => {
  const { url, user, tokenFile } = command.opts<{ url?: string; user?: string; tokenFile?: string }>()
  if (url === undefined) return undefined
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new WrongUse('--url must be http://… or https://….')
  const base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
  return { base, authorization: await authorizationOf(user, tokenFile) }
}

const authorizationOf = async (user: string | undefined, tokenFile: string | undefined) => {
  const token = tokenFile === undefined ? process.env.ROLLCALL_TOKEN : tokenIn(tokenFile)
  if (token) return `Bearer ${token}`
  if (user === undefined) return undefined
  const password = process.env.ROLLCALL_PASSWORD ?? (await readSecret(`Password of ${user}: `))
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

const tokenIn = (file: string) => orSay(file, 'read', () => readFileSync(file, 'utf8').trim())

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const tries = 5
const longestPauseMs = 5_000

/**
 * Asks, and asks again where the service says that it will do later, or was not reached. A key lets it see that it is the
 * same request, so that nothing is created twice.
 */
export const askRemote = async (remote: Remote, asked: Asked): Promise<RemoteAnswer> => {
  const key = asked.method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {}
  const keyed = { ...asked, headers: { ...key, ...asked.headers } }
  for (let attempt = 1; ; attempt++) {
    const answer = await once(remote, keyed)
    const passes = answer instanceof Error || answer.status === 503 || answer.status === 429
    if (!passes) return answer
    if (attempt === tries) {
      if (answer instanceof Error) throw new Failed(`${remote.base} cannot be reached: ${answer.message}.`)
      return answer
    }
    const said = answer instanceof Error ? 0 : Number(answer.headers.get('retry-after') ?? 0) * 1000
    await new Promise((resolve) => setTimeout(resolve, Math.min(longestPauseMs, said || 200 * 2 ** attempt)))
  }
}

/** The text of an answer, as it comes. */
export async function* readRemote({ base, authorization }: Remote, path: string): AsyncGenerator<string> {
  const answer = await fetch(base + path, {
    headers: { Accept: 'application/json', ...(authorization && { Authorization: authorization }) },
  })
  if (!answer.ok || !answer.body) throw new Failed(`${base}${path} answered ${answer.status}.`)
  yield* answer.body.pipeThrough(new TextDecoderStream())
}

const askTimeoutMs = 30_000

const once = async ({ base, authorization }: Remote, { method, path, body, headers }: Asked) => {
  try {
    const answer = await fetch(base + path, {
      method,
      headers: {
        Accept: 'application/json',
        ...(authorization && { Authorization: authorization }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(askTimeoutMs),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}
