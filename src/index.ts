import type { MadeAdministrator } from './app/entrance.ts'
import { openApp } from './app.ts'
import { readSaid, type SettingName } from './config.ts'

/** What a start that fails throws for what a person can mend; the message says it in a sentence, and `cause` is what lies below. */
export { DataUnusable } from '#sql/unusable.ts'
export { SettingError } from './config.ts'

/**
 * Settings by their names, as the environment would say them. If not said, which undefined does not say either, `PORT` is any
 * free one, `MANAGEMENT_PORT` is off and `LOG_LEVEL` is warn; all others are as the README has them. A name that is none of them
 * is refused.
 */
export type Settings = { readonly [K in Exclude<SettingName, 'SETTINGS_FILE'>]?: string | undefined }

export interface Rollcall extends AsyncDisposable {
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
  const config = readSaid(settings, { PORT: '0', MANAGEMENT_PORT: 'off', LOG_LEVEL: 'warn' })
  let administrator: MadeAdministrator | undefined
  const { url, managementUrl, close } = await openApp(config, {
    administratorMade(made) {
      administrator = made
    },
  })
  return { url, managementUrl, administrator, close, [Symbol.asyncDispose]: close }
}
