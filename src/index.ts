import type { CreatedAdministrator } from '#ledger/administrator.ts'
import { openApp } from './app.ts'
import { readEmbedded, type SettingName } from './config.ts'

/** Thrown by a start that fails for a reason a person can fix. The message states it in a sentence; `cause` is the underlying error. */
export { DataUnusable } from '#sql/unusable.ts'
export { SettingError } from './config.ts'

/**
 * Settings by name, written as in the environment. `undefined` counts as absent. By default `PORT` is any free port,
 * `MANAGEMENT_PORT` is off and `LOG_LEVEL` is warn; the other defaults are those of the README. An unknown name is refused.
 */
export type Settings = { readonly [K in Exclude<SettingName, 'SETTINGS_FILE'>]?: string | undefined }

export interface Rollcall extends AsyncDisposable {
  /** Where it listens, without the API prefix. */
  readonly url: string
  readonly managementUrl: string | undefined
  /** Made by the first start with `ACCESS: 'basic'` if none was given. Its password is never shown again. */
  readonly administrator: CreatedAdministrator | undefined
  /** Lets running requests finish, then closes everything. */
  close(): Promise<void>
}

/**
 * The whole service, embedded in another program:
 *
 *     const service = await rollcall({ DATABASE_URL: 'sqlite:./members.db' })
 */
export const rollcall = async (settings: Settings = {}): Promise<Rollcall> => {
  const config = readEmbedded(settings, { PORT: '0', MANAGEMENT_PORT: 'off', LOG_LEVEL: 'warn' })
  let administrator: CreatedAdministrator | undefined
  const { url, managementUrl, close } = await openApp(config, {
    administratorCreated(created) {
      administrator = created
    },
  })
  return { url, managementUrl, administrator, close, [Symbol.asyncDispose]: close }
}
