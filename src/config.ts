import { contradictionOf } from './config/contradictions.ts'
import { nearestName } from './config/nearest-name.ts'
import { type Setting, settings } from './config/settings.ts'

/** A setting that is wrong, or not one. The message names it. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

export type SettingName = keyof typeof settings

type Given<S> = S extends Setting<infer T> ? T : never

export type Config = { readonly [K in SettingName]: Given<(typeof settings)[K]> }

/** Where the value of a setting came from. */
export type Source = 'flag' | 'environment' | 'file' | 'default'

export type Texts = Readonly<Record<string, string | undefined>>

/** Families of names that are ours alone: one that we do not know is a mistake. `API_` is everybody's. */
const ourPrefixes = /^(MANAGEMENT|OAUTH|ADMIN_SIGN|ADMIN_PASS|CORS)_/

/** What was given, from the strongest to the weakest. */
export interface GivenSettings {
  readonly flags: Texts
  readonly environment: Texts
  readonly file: Texts
}

const isSetting = (name: string) => Object.hasOwn(settings, name)

/** The settings, by what a settings file says where nothing stronger does. */
export const readGiven = ({ flags, environment, file }: GivenSettings): Config =>
  readConfig({ ...file, ...environment }, flags)

/** The settings that a program says when it starts the service within itself: every name is meant for us. */
export const readSaid = (said: Texts, otherwise: Texts): Config => {
  for (const name of Object.keys(said)) requireOurs(name, ' in a program')
  return readConfig(otherwise, said)
}

/** Refuses a name that stands where every name is meant for us. */
export const requireOurs = (name: string, where: string) => {
  if (!isSetting(name) || name === 'SETTINGS_FILE') throw noSuch(name, where)
}

export const readConfig = (environment: Texts, flags: Texts = {}): Config => {
  for (const name of Object.keys(environment)) if (!isSetting(name)) requireForeign(name)
  const entries = Object.entries(settings).map(([name, setting]) => {
    const given = flags[name] ?? environment[name] ?? setting.default
    return [name, given === undefined ? undefined : readSetting(name, setting, given)]
  })
  const config = Object.fromEntries(entries) as Config
  const contradiction = contradictionOf(config, flags.ACCESS ?? environment.ACCESS)
  if (contradiction !== undefined) throw new SettingError(contradiction)
  return config
}

/** A setting that was misspelt would be silently left out, and might have closed a door. */
const requireForeign = (name: string) => {
  if (meantBy(name) !== undefined || ourPrefixes.test(name))
    throw noSuch(name, ', which is in the environment')
}

const noSuch = (name: string, where: string) => {
  const meant = meantBy(name)
  return new SettingError(
    `There is no setting ${name}${where}.${meant === undefined ? '' : ` Is ${meant} meant?`}`,
  )
}

const meantBy = (name: string) => nearestName(name, Object.keys(settings))

export const sourceOf = (name: SettingName, { flags, environment, file }: GivenSettings): Source => {
  if (flags[name] !== undefined) return 'flag'
  if (environment[name] !== undefined) return 'environment'
  return file[name] === undefined ? 'default' : 'file'
}

/** The text of a setting as it is in force; undefined if it has none. */
export const textOf = (name: SettingName, { flags, environment, file }: GivenSettings): string | undefined =>
  flags[name] ?? environment[name] ?? file[name] ?? settings[name].default

const readSetting = (name: string, { read, form, isSecret }: Setting<unknown>, given: string) => {
  const value = read(given)
  if (value !== undefined) return value
  const controls = /\p{Cc}/u.test(given) ? ', without control characters' : ''
  const not = isSecret || mayBeSecret.test(given) ? '' : `, not ${JSON.stringify(given)}`
  throw new SettingError(`${name} must be ${form}${controls}${not}.`)
}

/** A URL with a user, or the file itself in the place of its name: what is wrong is not repeated. */
const mayBeSecret = /@|[\r\n]|-----BEGIN/
