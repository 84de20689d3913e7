import { messageOf } from '#core/cause.ts'
import { contradictionOf } from './config/contradictions.ts'
import { type Setting, settings } from './config/settings.ts'

/** A setting that is invalid or unknown. The message names it. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Returns a function that throws the error about the unreadable file of a setting. */
export const throwUnreadable =
  (name: string, path: string) =>
  (error: unknown): never => {
    const { code } = Object(error) as NodeJS.ErrnoException
    const words: Readonly<Record<string, string>> = {
      ENOENT: `there is no file ${path}`,
      EACCES: `permission for ${path} is denied`,
      EISDIR: `${path} is a folder`,
    }
    throw new SettingError(`${name} cannot be read: ${words[code ?? ''] ?? messageOf(error)}.`, {
      cause: error,
    })
  }

export type SettingName = keyof typeof settings

type Given<S> = S extends Setting<infer T> ? T : never

export type Config = { readonly [K in SettingName]: Given<(typeof settings)[K]> }

type Source = 'flag' | 'environment' | 'file' | 'default'

export type RawSettings = Readonly<Record<string, string | undefined>>

/** Prefixes that only Rollcall uses: an unknown name with one of them is a mistake. `API_` is too common. */
const ourPrefixes = /^(MANAGEMENT|OAUTH|ADMIN_SIGN|ADMIN_PASS|CORS|WEBHOOK)_/

/** The given settings, in order of precedence. */
export interface GivenSettings {
  readonly flags: RawSettings
  readonly environment: RawSettings
  readonly file: RawSettings
}

const isSetting = (name: string) => Object.hasOwn(settings, name)

/** Reads the settings; the settings file has the lowest precedence. */
export const readGiven = ({ flags, environment, file }: GivenSettings): Config =>
  readConfig({ ...file, ...environment }, flags)

/** Reads the settings of a program that embeds the service. An unknown name is refused. */
export const readEmbedded = (given: RawSettings, defaults: RawSettings): Config => {
  for (const name of Object.keys(given)) requireKnownSetting(name, ' in a program')
  return readConfig(defaults, given)
}

/** Refuses an unknown name in a place that holds only settings of Rollcall. */
export const requireKnownSetting = (name: string, where: string) => {
  if (name === 'SETTINGS_FILE') throw new SettingError(`SETTINGS_FILE cannot be set${where}.`)
  if (!isSetting(name)) throw unknownSetting(name, where)
}

export const readConfig = (environment: RawSettings, flags: RawSettings = {}): Config => {
  for (const name of Object.keys(environment)) if (!isSetting(name)) refuseMisspelt(name)
  const entries = Object.entries(settings).map(([name, setting]) => {
    const given = flags[name] ?? environment[name] ?? setting.default
    return [name, given === undefined ? undefined : readSetting(name, setting, given)]
  })
  const config = Object.fromEntries(entries) as Config
  const contradiction = contradictionOf(config, flags.ACCESS ?? environment.ACCESS)
  if (contradiction !== undefined) throw new SettingError(contradiction)
  return config
}

/** Refuses a misspelt setting: ignoring it silently might leave the service open. */
const refuseMisspelt = (name: string) => {
  if (suggestionFor(name) !== undefined || ourPrefixes.test(name))
    throw unknownSetting(name, ', which is in the environment')
}

const unknownSetting = (name: string, where: string) => {
  const capitals = name.toUpperCase()
  const suggestion = isSetting(capitals) ? capitals : (suggestionFor(capitals, 1) ?? longerName(capitals))
  return new SettingError(
    `There is no setting ${name}${where}.${suggestion === undefined ? '' : ` Is ${suggestion} meant?`}`,
  )
}

const suggestionFor = (name: string, minLetters?: number) =>
  nearestName(name, Object.keys(settings), minLetters)

/** `DATABASE` stands for DATABASE_URL. */
const longerName = (name: string) => Object.keys(settings).find((one) => one.startsWith(`${name}_`))

export const sourceOf = (name: SettingName, { flags, environment, file }: GivenSettings): Source => {
  if (flags[name] !== undefined) return 'flag'
  if (environment[name] !== undefined) return 'environment'
  return file[name] === undefined ? 'default' : 'file'
}

/** The text of a setting that applies; undefined if the setting has no value. */
export const settingText = (
  name: SettingName,
  { flags, environment, file }: GivenSettings,
): string | undefined => flags[name] ?? environment[name] ?? file[name] ?? settings[name].default

const readSetting = (name: string, { read, form, isSecret }: Setting<unknown>, given: string) => {
  const value = read(given)
  if (value !== undefined) return value
  const controls = /\p{Cc}/u.test(given) ? ', without control characters' : ''
  if (isSecret || mayBeSecret.test(given)) throw new SettingError(`${name} must be ${form}${controls}.`)
  const isUrl = given !== '' && read(`http://${given}`) !== undefined
  const meant = isUrl ? ` Is http://${given} meant?` : ''
  throw new SettingError(`${name} must be ${form}${controls}, not ${JSON.stringify(given)}.${meant}`)
}

/** A URL with a user, or a file's content in place of its name: the message does not repeat the value. */
const mayBeSecret = /@|[\r\n]|-----BEGIN/

/** Finds the setting that was probably meant: one typing error away, and long enough not to be another program's variable. */
export const nearestName = (given: string, names: readonly string[], minLetters = 6): string | undefined =>
  names.find((name) => name.length >= minLetters && name !== given && isOneTypo(name, given))

/** Whether one letter was added, left out or changed, or two adjacent letters were swapped. */
const isOneTypo = (name: string, given: string) => {
  const start = sameLetters(name, given)
  const [expected, actual] = [name.slice(start), given.slice(start)]
  const isSwapped =
    expected[0] === actual[1] && expected[1] === actual[0] && expected.slice(2) === actual.slice(2)
  return (
    isSwapped ||
    expected === actual.slice(1) ||
    expected.slice(1) === actual ||
    expected.slice(1) === actual.slice(1)
  )
}

const sameLetters = (name: string, given: string) => {
  let count = 0
  while (count < name.length && name[count] === given[count]) count++
  return count
}
