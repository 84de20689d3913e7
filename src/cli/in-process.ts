import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Failure } from '#client/answer.ts'
import { rollcall } from '#client/index.ts'
import { codeOfKind, Problem, storageUnavailable } from '#core/problem.ts'
import { request } from '#http/wire/node-http.ts'
import { nameDamagedFile } from '#sql/sqlite/damage.ts'
import { administratorSignId } from '#src/app/reserved-sign-id.ts'
import { type App, openApp } from '#src/app.ts'
import { type Config, readConfig } from '#src/config.ts'
import { explainLock, isBeforeFirstStart, requireExisting, withUntouchedDatabase } from './data.ts'
import { printNote } from './output.ts'
import { type FlagByField, refusalFailure } from './remote.ts'
import { type DatabaseUse, runWork, type Work } from './service.ts'

/** Opens a service on the database for this command only. The service listens on no port. */
export const runInProcess = async (given: Config, work: Work, use: DatabaseUse): Promise<void> => {
  const config = use === 'dryRun' ? await dryRunConfig(given) : given
  if (use === 'mustExist' || use === 'readOnly') requireExisting(config.DATABASE_URL)
  let cause: unknown
  const ignore = () => undefined
  const rememberCause = (_track: string, thrown: unknown) => {
    cause = thrown
  }
  const requestLog = { answer: ignore, parserRefusal: ignore, failure: rememberCause }
  const options = { isOffline: true, readOnly: use === 'readOnly', requestLog }
  const app = await explainLock(openApp(openToAll(config), options))
  // The API hides the cause of its own failures from its callers, but the user of this command may see it.
  const errorOf = (failure: Failure, flags?: FlagByField) => {
    if (failure.code === codeOfKind.storageUnavailable) return storageUnavailable(cause)
    return failure.code === codeOfKind.system
      ? new Problem('system', { cause })
      : refusalFailure(failure, flags)
  }
  const client = rollcall('http://localhost', { retries: 0, timeoutMs, fetch: fetchOver(app) })
  try {
    return await nameDamagedFile(config.DATABASE_URL, runWork(client, work, errorOf))
  } finally {
    await app.close()
  }
}

/** A dry run neither creates nor migrates a database. If there is none, it uses an empty one in memory. */
const dryRunConfig = (config: Config): Promise<Config> =>
  withUntouchedDatabase(config, async () => config).catch((error) => {
    if (!isBeforeFirstStart(error)) throw error
    printNote(`${error.message} An empty one is used in its place.`)
    return { ...config, DATABASE_URL: 'sqlite::memory:' }
  })

const timeoutMs = 60 * 60 * 1000

/** Requires no sign-in, because anyone who can open the database may do anything with it. */
const openToAll = (config: Config): Config => {
  const { DATABASE_URL, TIME_ZONE } = config
  const settings = {
    DATABASE_URL,
    TIME_ZONE,
    ACCESS: 'open',
    LOG_LEVEL: 'silent',
    MANAGEMENT_PORT: 'off',
    // Only a running service deletes old changes.
    CHANGES_KEEP: 'off',
  }
  const { WEBHOOK_HOSTS, RESOURCES } = config
  return { ...readConfig(settings), ADMIN_SIGN_ID: administratorSignId(config), WEBHOOK_HOSTS, RESOURCES }
}

/** Opens one connection for each request. The client retries nothing here, so requests are sent without idempotency keys. */
const fetchOver =
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
