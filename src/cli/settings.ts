import { readFileSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { file as parseFileName } from '#src/config/forms.ts'
import { settings } from '#src/config/settings.ts'
import {
  type Config,
  type RawSettings,
  readFromSources,
  requireKnownSetting,
  SettingError,
  type SettingName,
  type SettingSources,
  throwUnreadable,
} from '#src/config.ts'
import { printNote, withoutPassword } from './output.ts'

export const settingNames = Object.keys(settings) as SettingName[]

export const settingFlag = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`

export const addSettingFlags = (command: Command, names: readonly SettingName[] = settingNames) => {
  for (const name of names) {
    const { meaning, form, read, default: fallback } = settings[name]
    const [placeholder, formText] = read === parseFileName ? ['file', ''] : ['value', `: ${form}`]
    const helpText = `${meaning.replace(/\.$/, '')}${formText}${fallback ? ` (default: ${fallback})` : ''}`
    command.addOption(new Option(`${settingFlag(name)} <${placeholder}>`, helpText).env(name))
  }
  return command
}

/** Adds the flags of a command that opens a database itself. */
export const addDatabaseFlags = (command: Command) =>
  addSettingFlags(command, ['DATABASE_URL', 'RESOURCES', 'SETTINGS_FILE'])

/** The settings as texts, from flags, environment and settings file as they are now. */
export const collectSettings = (command: Command): SettingSources => {
  const flags = settingsFromFlags(command)
  for (const [name, value = ''] of Object.entries(flags))
    if (maskSecret(name as SettingName, value) !== value)
      warnOfSecret(settingFlag(name), `set ${name} in the environment or in SETTINGS_FILE`)
  const environment = process.env
  const path = flags.SETTINGS_FILE ?? environment.SETTINGS_FILE
  if (path !== undefined && settings.SETTINGS_FILE.read(path) === undefined)
    throw new SettingError('SETTINGS_FILE must be the name of a file.')
  return { flags, environment, file: path === undefined ? {} : readSettingsFile(path) }
}

export const maskSecret = (name: SettingName, text: string) => {
  if (name === 'DATABASE_URL') return withoutPassword(text)
  return settings[name].isSecret ? '***' : text
}

export const warnOfSecret = (flag: string, instead: string) =>
  printNote(`${flag} has a secret, but anyone on this machine can read the command line: ${instead} instead.`)

export const configOf = (command: Command): Config => readFromSources(collectSettings(command))

/** Reads the settings again for a reload. Fails if the settings file is a pipe, which cannot be read again. */
export const rereadConfig = (command: Command): Config => {
  const path = settingsFromFlags(command).SETTINGS_FILE ?? process.env.SETTINGS_FILE
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new SettingError('SETTINGS_FILE is not a file that can be read again.')
  return configOf(command)
}

const settingsFromFlags = (command: Command): RawSettings =>
  Object.fromEntries(
    command.options
      .filter(({ envVar = '' }) => envVar in settings)
      .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
      .map((option) => [option.envVar ?? '', command.getOptionValue(option.attributeName())]),
  )

/** The settings in a settings file. A malformed line is an error, because the line may have been meant to restrict access. */
export const readSettingsFile = (path: string): RawSettings => {
  const values = new Map<string, string>()
  for (const [index, line] of readLines(path).entries()) {
    const position = `line ${index + 1} of ${path}`
    const pair = parseLine(line.trim(), position)
    if (!pair) continue
    const [name, value] = pair
    requireKnownSetting(name, ` in ${position}`)
    if (values.has(name)) throw new SettingError(`SETTINGS_FILE: ${position} sets ${name} a second time.`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

const readLines = (path: string): readonly string[] => {
  try {
    const isFile = statSync(path).isFile()
    const text = pipeTexts.get(path) ?? new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
    if (!isFile) pipeTexts.set(path, text)
    return text.split(/\r?\n/)
  } catch (error) {
    return throwUnreadable('SETTINGS_FILE', path)(error)
  }
}

/** The texts of pipes, by path. Settings are read twice (first RESOURCES, then all), but a pipe can be read only once. */
const pipeTexts = new Map<string, string>()

/** The name and value on a line; undefined for an empty line or a comment. */
const parseLine = (line: string, position: string): readonly [string, string] | undefined => {
  const refusal = (fault: string) => new SettingError(`SETTINGS_FILE: ${position} ${fault}`)
  if (line === '' || line.startsWith('#')) return undefined
  const [, name, value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? []
  if (name === undefined) throw refusal('is neither NAME=value nor a comment.')
  const [quote = ''] = /^["']/.exec(value) ?? []
  if (quote !== '') {
    if (value.length > 1 && value.endsWith(quote)) return [name, value.slice(1, -1)]
    throw refusal('has a value that begins with a quote but does not end with it.')
  }
  if (!/(?:^|\s)#/.test(value)) return [name, value]
  // A comment after a value would become part of the value. In a password, nobody would notice that.
  throw refusal(
    'has a value with a # at its beginning or after a space. If the # belongs to the value, put the value in quotes. If it begins a comment, move the comment to a line of its own.',
  )
}
