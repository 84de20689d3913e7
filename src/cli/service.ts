import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { typeOf } from '#client/sending.ts'
import { rootCodes, storageUnavailable } from '#core/problem.ts'
import type { ErrorBody } from '#http/errors.ts'
import { request } from '#http/server/node-http.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { administratorSignId } from '#src/app/reserved-sign-id.ts'
import { type App, apiPrefix, openApp, type World } from '#src/app.ts'
import { type Config, readConfig } from '#src/config.ts'
import { onDatabase, orSuggestUrl, requireKept } from './data.ts'
import { Refused } from './exit.ts'
import { visible } from './output.ts'
import { type ApiRequest, addUrl, askRemote, remoteOf, unexpectedAnswer } from './remote.ts'
import { configOf } from './settings.ts'

/** The API of a running service, or of one opened on a database for this command. */
export interface Service {
  /** Returns what the API answered. A refusal is thrown with its message and the flags that its fields come from. */
  ask<T>(request: ApiRequest, flags?: Flags): Promise<T>
}

/** The flags of a command, by the fields of the body that they fill. */
type Flags = Readonly<Record<string, string>>

/** A command that uses the API, on a database or, with --url, of a running service. */
export const onService = (command: Command) => onDatabase(addUrl(command))

/** What a command does. One that adds may create the database; one that reads changes nothing in it. */
type Manner = 'adds' | 'changes' | 'reads'

export const withService = async <T>(
  command: Command,
  work: (service: Service) => Promise<T>,
  manner: Manner = 'changes',
): Promise<T> => {
  const remote = await remoteOf(command)
  if (remote) {
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
  const config = configOf(command)
  if (manner !== 'adds') requireKept(config.DATABASE_URL)
  let cause: unknown
  const failed = (_track: string, thrown: unknown) => {
    cause = thrown
  }
  const app = await openOwn(config, { untouched: manner === 'reads', requestLog: { ...noLog, failed } })
  const ask = <A>(request: ApiRequest, flags?: Flags) =>
    within<A>(app, request, flags).catch((error) => {
      throw isOfStorage(error) ? storageUnavailable(cause) : error
    })
  try {
    return await orNameDamaged(config.DATABASE_URL, work({ ask }))
  } finally {
    await app.close()
  }
}

/** Anyone who can open the database may do anything, so there is no sign-in. The service listens nowhere. */
const openOwn = (given: Config, world: World): Promise<App> => {
  const { DATABASE_URL, TIME_ZONE } = given
  const own = { DATABASE_URL, TIME_ZONE, ACCESS: 'open', LOG_LEVEL: 'silent', MANAGEMENT_PORT: 'off' }
  const config = { ...readConfig(own), ADMIN_SIGN_ID: administratorSignId(given) }
  return orSuggestUrl(openApp(config, { isOffline: true, ...world }))
}

const noLog = { answered: () => undefined, refused: () => undefined }

/** The storage refused: the caller of a service may only know that, whoever has the database may know why. */
const isOfStorage = (error: unknown) =>
  error instanceof Refused && error.codes[0] === rootCodes.storageUnavailable

const within = async <T>(app: App, { method, path, body }: ApiRequest, flags?: Flags): Promise<T> => {
  const outgoing = request({
    createConnection: () => app.connect(),
    method,
    path: apiPrefix + path,
    headers: {
      host: 'localhost',
      connection: 'close',
      ...(body !== undefined && { 'content-type': typeOf(method) }),
    },
  })
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const received = await text(answer)
  const { statusCode: status = 500 } = answer
  const parsed = received === '' ? undefined : JSON.parse(received)
  if (status < 400) return parsed as T
  throw refusal(parsed as ErrorBody, path, flags)
}

const refusal = (
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

interface Slice<T> {
  readonly content: readonly T[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

const sliceSize = 100

interface Wanted {
  readonly query: Readonly<Record<string, string>>
  /** How many items to read; all if undefined. */
  readonly limit: number | undefined
}

/** The items of a list, in slices. Nothing beyond the slice with the last one wanted is read. */
export async function* each<T>(
  service: Service,
  path: string,
  { query, limit = Number.POSITIVE_INFINITY }: Wanted,
) {
  const size = String(Math.min(limit, sliceSize))
  let next: string | undefined = `?${new URLSearchParams({ ...query, cursor: '', size })}`
  let left = limit
  while (next !== undefined && left > 0) {
    const slice: Slice<T> = await service.ask<Slice<T>>({ method: 'GET', path: path + next })
    yield slice.content.slice(0, left)
    left -= slice.content.length
    const href = slice.links?.find(({ rel }) => rel === 'next')?.href
    next = href === undefined ? undefined : new URL(href, 'http://rollcall').search
  }
}
