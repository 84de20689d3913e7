import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CreatedAdministrator } from '#ledger/administrator.ts'
import type { CustomResource } from './app/resources.ts'
import { openApp } from './app.ts'
import { readEmbedded, type SettingName } from './config.ts'
import type { Logger } from './log.ts'

/** Thrown if the service cannot start for a reason that a person can fix. The message states the reason; `cause` is the underlying error. */
export { DataUnusable } from '#sql/unusable.ts'
export { SettingError } from './config.ts'

/**
 * Settings by name, with values as in the environment. `undefined` counts as absent. By default, `PORT` is any free port,
 * `MANAGEMENT_PORT` is off and `LOG_LEVEL` is warn. The other defaults are those of docs/settings.md. Unknown names are refused.
 */
export type Settings = { readonly [K in Exclude<SettingName, 'SETTINGS_FILE'>]?: string | undefined }

export interface Embedding {
  /** Resources that the program declares with `rollcall/resource`, beside todos, members, keys and webhooks. */
  readonly resources?: readonly CustomResource[] | undefined
  /** A pino logger of the program. The level of this logger counts, not `LOG_LEVEL`. */
  readonly log?: Logger | undefined
  /** If false, the API listens on no port, and a server of the program passes requests to `handle`. */
  readonly listen?: boolean | undefined
}

export interface Rollcall extends AsyncDisposable {
  /** The URL where the API listens, without the prefix `/api/v1`. Empty if the API listens on no port. */
  readonly url: string
  readonly managementUrl: string | undefined
  /** The administrator that the first start with `ACCESS: 'basic'` created, if `ADMIN_SIGN_ID` is absent. The password is never shown again. */
  readonly administrator: CreatedAdministrator | undefined
  /**
   * Answers an HTTP/1.1 request that a server of the program has received. The program must not have read the body, and must close
   * its server before the service.
   */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Lets running requests finish, then closes everything. */
  close(): Promise<void>
}

/**
 * The whole service, embedded in another program:
 *
 *     const service = await rollcall({ DATABASE_URL: 'sqlite:./members.db' })
 */
export const rollcall = async ({
  resources = [],
  log,
  listen = true,
  ...settings
}: Settings & Embedding = {}): Promise<Rollcall> => {
  const config = readEmbedded(settings, { PORT: '0', MANAGEMENT_PORT: 'off', LOG_LEVEL: 'warn' })
  let administrator: CreatedAdministrator | undefined
  const { url, managementUrl, handle, close } = await openApp(config, {
    resources,
    isMounted: !listen,
    ...(log && { logger: log }),
    onAdministratorCreated(created) {
      administrator = created
    },
  })
  return { url, managementUrl, administrator, handle, close, [Symbol.asyncDispose]: close }
}
