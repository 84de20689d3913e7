import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { file } from '#src/config/forms.ts'
import { settings } from '#src/config/settings.ts'
import {
  type Config,
  type GivenSettings,
  readGiven,
  SettingError,
  type SettingName,
  type Texts,
} from '#src/config.ts'
import { readSettingsFile } from './settings-file.ts'

export const settingNames = Object.keys(settings) as SettingName[]

export const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`

/** Adds a flag for each setting to a command. */
export const addSettings = (command: Command, names: readonly SettingName[] = settingNames) => {
  for (const name of names) {
    const { meaning, form, read, default: fallback } = settings[name]
    const [value, shape] = read === file ? ['file', ''] : ['value', `: ${form}`]
    const words = `${meaning.replace(/\.$/, '')}${shape}${fallback ? ` (default: ${fallback})` : ''}`
    command.addOption(new Option(`${flagOf(name)} <${value}>`, words).env(name))
  }
  return command
}

/** A command that works on a database while no service does, or, with PostgreSQL, alongside it. */
export const onDatabase = (command: Command) => addSettings(command, ['DATABASE_URL', 'SETTINGS_FILE'])

/** The settings from flags, environment and file as they are now. */
export const givenSettings = (command: Command): GivenSettings => {
  const flags = givenFlags(command)
  const environment = process.env
  return { flags, environment, file: readFile(flags.SETTINGS_FILE ?? environment.SETTINGS_FILE) }
}

export const configOf = (command: Command): Config => readGiven(givenSettings(command))

/** As configOf, but not for the first time: a settings file that was a pipe cannot be read again. */
export const configAgain = (command: Command): Config => {
  const path = givenFlags(command).SETTINGS_FILE ?? process.env.SETTINGS_FILE
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new SettingError('SETTINGS_FILE is not a file that can be read again.')
  return configOf(command)
}

export const databaseUrl = (command: Command): string => configOf(command).DATABASE_URL

/** The settings given as flags, by name. */
const givenFlags = (command: Command): Texts => {
  const options = command.options.filter(({ envVar }) => envVar !== undefined && envVar in settings)
  const given = options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
  return Object.fromEntries(
    given.map((option) => [option.envVar ?? '', command.getOptionValue(option.attributeName())]),
  )
}

const readFile = (path: string | undefined): Texts => {
  if (path === undefined) return {}
  if (settings.SETTINGS_FILE.read(path) === undefined)
    throw new SettingError('SETTINGS_FILE must be the name of a file.')
  return readSettingsFile(path)
}
