import { messageOf } from '#core/cause.ts'
import { contradictionOf } from './config/contradictions.ts'
import { type Setting, settings } from './config/settings.ts'

/** A setting that is invalid or unknown. The message names it. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** Returns an error handler, which throws the error that the file of a setting cannot be read. */
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

type ValueOfSetting<S> = S extends Setting<infer T> ? T : never

export type Config = { readonly [K in SettingName]: ValueOfSetting<(typeof settings)[K]> }

type Source = 'flag' | 'environment' | 'file' | 'default'

export type RawSettings = Readonly<Record<string, string | undefined>>

/** Prefixes that only Rollcall uses, so an unknown name with such a prefix is a mistake. `API_` is too common to be one of them. */
const rollcallPrefixes = /^(MANAGEMENT|OAUTH|ADMIN_SIGN|ADMIN_PASS|CORS|WEBHOOK)_/

/** The settings by their source, in order of precedence. */
export interface SettingSources {
  readonly flags: RawSettings
  readonly environment: RawSettings
  readonly file: RawSettings
}

const isSetting = (name: string) => Object.hasOwn(settings, name)

/** Reads the settings. Flags have the highest precedence, the settings file the lowest. */
export const readFromSources = ({ flags, environment, file }: SettingSources): Config =>
  readConfig({ ...file, ...environment }, flags)

/** Reads the settings of a program that embeds the service. An unknown name is refused. */
export const readEmbedded = (embedded: RawSettings, defaults: RawSettings): Config => {
  for (const name of Object.keys(embedded)) requireKnownSetting(name, ' in a program')
  return readConfig(defaults, embedded)
}

/** Refuses an unknown name in a source that contains only settings of Rollcall, such as the settings file. */
export const requireKnownSetting = (name: string, where: string) => {
  if (name === 'SETTINGS_FILE') throw new SettingError(`SETTINGS_FILE cannot be set${where}.`)
  if (!isSetting(name)) throw unknownSetting(name, where)
}

export const readConfig = (environment: RawSettings, flags: RawSettings = {}): Config => {
  for (const name of Object.keys(environment)) if (!isSetting(name)) refuseMisspelt(name)
  const entries = Object.entries(settings).map(([name, setting]) => {
    const input = flags[name] ?? environment[name] ?? setting.default
    return [name, input === undefined ? undefined : readSetting(name, setting, input)]
  })
  const config = Object.fromEntries(entries) as Config
  const contradiction = contradictionOf(config, flags.ACCESS ?? environment.ACCESS)
  if (contradiction !== undefined) throw new SettingError(contradiction)
  return config
}

/** Refuses a misspelt setting, because ignoring it could leave the service open to everybody. */
const refuseMisspelt = (name: string) => {
  if (suggestionFor(name) !== undefined || rollcallPrefixes.test(name))
    throw unknownSetting(name, ', which is in the environment')
}

const unknownSetting = (name: string, where: string) => {
  const capitals = name.toUpperCase()
  const suggestion = isSetting(capitals) ? capitals : (suggestionFor(capitals, 1) ?? findLongerName(capitals))
  return new SettingError(
    `There is no setting ${name}${where}.${suggestion === undefined ? '' : ` Is ${suggestion} meant?`}`,
  )
}

const suggestionFor = (name: string, minLetters?: number) =>
  nearestName(name, Object.keys(settings), minLetters)

/** The setting whose name begins with this name: DATABASE_URL for `DATABASE`. */
const findLongerName = (name: string) => Object.keys(settings).find((one) => one.startsWith(`${name}_`))

export const sourceOf = (name: SettingName, { flags, environment, file }: SettingSources): Source => {
  if (flags[name] !== undefined) return 'flag'
  if (environment[name] !== undefined) return 'environment'
  return file[name] === undefined ? 'default' : 'file'
}

/** The text of a setting from the source with the highest precedence. Undefined if the setting has no value. */
export const settingText = (
  name: SettingName,
  { flags, environment, file }: SettingSources,
): string | undefined => flags[name] ?? environment[name] ?? file[name] ?? settings[name].default

const readSetting = (name: string, { read, form, isSecret }: Setting<unknown>, input: string) => {
  const value = read(input)
  if (value !== undefined) return value
  const controls = /\p{Cc}/u.test(input) ? ', without control characters' : ''
  if (isSecret || secretLike.test(input)) throw new SettingError(`${name} must be ${form}${controls}.`)
  const isUrl = input !== '' && read(`http://${input}`) !== undefined
  const meant = isUrl ? ` Is http://${input} meant?` : ''
  throw new SettingError(`${name} must be ${form}${controls}, not ${JSON.stringify(input)}.${meant}`)
}

/** Matches a URL with a user, and the content of a file where its name belongs. Messages do not repeat such values. */
const secretLike = /@|[\r\n]|-----BEGIN/

/** Finds the name that was probably meant: it differs by one typing error, and is too long to be the variable of another program. */
export const nearestName = (input: string, names: readonly string[], minLetters = 6): string | undefined =>
  names.find((name) => name.length >= minLetters && name !== input && isOneTypo(name, input))

/** True if one letter was added, left out or changed, or two adjacent letters were swapped. */
const isOneTypo = (name: string, input: string) => {
  const start = countSameStart(name, input)
  const [expected, actual] = [name.slice(start), input.slice(start)]
  const isSwapped =
    expected[0] === actual[1] && expected[1] === actual[0] && expected.slice(2) === actual.slice(2)
  return (
    isSwapped ||
    expected === actual.slice(1) ||
    expected.slice(1) === actual ||
    expected.slice(1) === actual.slice(1)
  )
}

const countSameStart = (name: string, input: string) => {
  let count = 0
  while (count < name.length && name[count] === input[count]) count++
  return count
}
