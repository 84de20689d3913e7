import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CreatedAdministrator } from '#ledger/administrator.ts'
import type { CustomResource } from './app/resources.ts'
import { openApp } from './app.ts'
import { readEmbedded, type SettingName } from './config.ts'
import type { Logger } from './log.ts'

/** Thrown by a start that fails for a reason a person can fix. The message states it in a sentence; `cause` is the underlying error. */
export { DataUnusable } from '#sql/unusable.ts'
export { SettingError } from './config.ts'

/**
 * Settings by name, written as in the environment. `undefined` counts as absent. By default `PORT` is any free port,
 * `MANAGEMENT_PORT` is off and `LOG_LEVEL` is warn; the other defaults are those of docs/settings.md. An unknown name is refused.
 */
export type Settings = { readonly [K in Exclude<SettingName, 'SETTINGS_FILE'>]?: string | undefined }

export interface Embedding {
  /** Resources that the program declares with `rollcall/resource`, beside todos, members, keys and webhooks. */
  readonly resources?: readonly CustomResource[] | undefined
  /** The program's own pino logger. Its level counts, not `LOG_LEVEL`. */
  readonly log?: Logger | undefined
  /** False: the API listens on no port, and the program's own server passes requests to `handle`. */
  readonly listen?: boolean | undefined
}

export interface Rollcall extends AsyncDisposable {
  /** The URL where the API listens, without its prefix. Empty if it listens on no port. */
  readonly url: string
  readonly managementUrl: string | undefined
  /** The administrator that the first start with `ACCESS: 'basic'` made, if no `ADMIN_SIGN_ID` was given. The password is never shown again. */
  readonly administrator: CreatedAdministrator | undefined
  /**
   * Answers a request that a server of the program has received by HTTP/1.1 and whose body nobody has read. The server is to
   * be closed before the service.
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
