import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Failure } from '#client/answer.ts'
import { rollcall } from '#client/index.ts'
import { codeOfKind, storageUnavailable } from '#core/problem.ts'
import { request } from '#http/wire/node-http.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { administratorSignId } from '#src/app/reserved-sign-id.ts'
import { type App, openApp } from '#src/app.ts'
import { type Config, readConfig } from '#src/config.ts'
import { isBeforeFirstStart, orSuggestUrl, requireExisting, withUntouchedDatabase } from './data.ts'
import { note } from './output.ts'
import { type FlagByField, refusalFailure } from './remote.ts'
import { type DatabaseUse, runWork, type Work } from './service.ts'

/** Opens a service on the database for this command only. The service listens on no port. */
export const withOwnService = async (given: Config, work: Work, manner: DatabaseUse): Promise<void> => {
  const config = manner === 'tries' ? await trialConfig(given) : given
  if (manner !== 'adds' && manner !== 'tries') requireExisting(config.DATABASE_URL)
  let cause: unknown
  const nothing = () => undefined
  const failure = (_track: string, thrown: unknown) => {
    cause = thrown
  }
  const world = { isOffline: true, readOnly: manner === 'reads' }
  const requestLog = { answer: nothing, parserRefusal: nothing, failure }
  const app = await orSuggestUrl(openApp(ownConfig(config), { ...world, requestLog }))
  // A service hides the reasons of storage failures from its callers. Here the caller owns the database.
  const errorOf = (failed: Failure, flags?: FlagByField) =>
    failed.code === codeOfKind.storageUnavailable ? storageUnavailable(cause) : refusalFailure(failed, flags)
  const client = rollcall('http://localhost', { retries: 0, timeoutMs, fetch: fetchFrom(app) })
  try {
    return await orNameDamaged(config.DATABASE_URL, runWork(client, work, errorOf))
  } finally {
    await app.close()
  }
}

/** The use `tries` neither creates nor migrates a database. */
const trialConfig = (config: Config): Promise<Config> =>
  withUntouchedDatabase(config, async () => config).catch((error) => {
    if (!isBeforeFirstStart(error)) throw error
    note(`${error.message} An empty one is used in its place.`)
    return { ...config, DATABASE_URL: 'sqlite::memory:' }
  })

const timeoutMs = 60 * 60 * 1000

/** Anyone who can open the database may do anything, so there is no sign-in. */
const ownConfig = (given: Config): Config => {
  const { DATABASE_URL, TIME_ZONE } = given
  const settings = {
    ...{ DATABASE_URL, TIME_ZONE, ACCESS: 'open', LOG_LEVEL: 'silent', MANAGEMENT_PORT: 'off' },
    // Only a running service deletes old changes.
    CHANGES_KEEP: 'off',
  }
  const { WEBHOOK_HOSTS, RESOURCES } = given
  return { ...readConfig(settings), ADMIN_SIGN_ID: administratorSignId(given), WEBHOOK_HOSTS, RESOURCES }
}

/** Opens one connection for each request. Nothing is retried, so no request needs a key. */
const fetchFrom =
  (app: App): typeof fetch =>
  async (input, { method = 'GET', headers, body } = {}) => {
    const { pathname, search } = new URL(String(input))
    const { 'Idempotency-Key': _, ...fields } = headers as Record<string, string>
    const outgoing = request({
      createConnection: () => app.connect(),
      method,
      path: pathname + search,
      headers: { ...fields, host: 'localhost', connection: 'close' },
    })
    outgoing.end(body instanceof Blob ? Buffer.from(await body.arrayBuffer()) : (body ?? undefined))
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode: status = 500, headers: received } = answer
    return new Response((await text(answer)) || null, { status, headers: received as Record<string, string> })
  }
