import { openApp } from './app.ts'
import { readSaid, type SettingName } from './config.ts'
import type { MadeAdministrator } from './entrance.ts'

/**
 * Settings by their names, as the environment would say them; `HOST` is loopback and `PORT` any free one if not said. A name that is
 * none of them is refused.
 */
export type Settings = { readonly [K in Exclude<SettingName, 'SETTINGS_FILE'>]?: string }

export interface Rollcall {
  /** Where it listens, without the prefix of the API. */
  readonly url: string
  readonly managementUrl: string | undefined
  /** The one that the first start with `ACCESS: 'basic'` made, where none was given: nobody will be told this password again. */
  readonly administrator: MadeAdministrator | undefined
  /** Lets the requests that are there finish, and closes everything. */
  close(): Promise<void>
}

/**
 * The whole service within another program:
 *
 *     const service = await rollcall({ DATABASE_URL: 'sqlite:./members.db' })
 */
export const rollcall = async (settings: Settings = {}): Promise<Rollcall> => {
  const config = readSaid({ PORT: '0', MANAGEMENT_PORT: 'off', LOG_LEVEL: 'warn', ...settings })
  let administrator: MadeAdministrator | undefined
  const { url, managementUrl, close } = await openApp(config, {
    administratorMade(made) {
      administrator = made
    },
  })
  return { url, managementUrl, administrator, close }
}
