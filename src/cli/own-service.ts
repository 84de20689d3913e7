import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { typeOf } from '#client/sending.ts'
import { rootCodes, storageUnavailable } from '#core/problem.ts'
import type { ErrorBody } from '#http/wire/errors.ts'
import { request } from '#http/wire/node-http.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { administratorSignId } from '#src/app/reserved-sign-id.ts'
import { type App, apiPrefix, openApp, type World } from '#src/app.ts'
import { type Config, readConfig } from '#src/config.ts'
import { orSuggestUrl, requireKept } from './data.ts'
import { Refused } from './exit.ts'
import type { ApiRequest } from './remote.ts'
import { type Flags, type Manner, refusal, type Service } from './service.ts'

/** Opens a service on the database for this command alone. It listens nowhere. */
export const withOwnService = async <T>(
  config: Config,
  work: (service: Service) => Promise<T>,
  manner: Manner,
): Promise<T> => {
  if (manner !== 'adds') requireKept(config.DATABASE_URL)
  let cause: unknown
  const failed = (_track: string, thrown: unknown) => {
    cause = thrown
  }
  const app = await open(config, { untouched: manner === 'reads', requestLog: { ...noLog, failed } })
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

/** Anyone who can open the database may do anything, so there is no sign-in. */
const open = (given: Config, world: World): Promise<App> => {
  const { DATABASE_URL, TIME_ZONE } = given
  const own = {
    ...{ DATABASE_URL, TIME_ZONE, ACCESS: 'open', LOG_LEVEL: 'silent', MANAGEMENT_PORT: 'off' },
    // How long they are kept is for the service to say.
    CHANGES_KEEP: 'off',
  }
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
