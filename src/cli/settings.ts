import { type Command, Option } from 'commander'
import { type SettingName, settings, type Texts } from '#src/config.ts'

const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')} <value>`

/** Gives a command a flag for each setting. */
export const addSettings = (command: Command, names: readonly SettingName[]) => {
  for (const name of names) {
    const { meaning, default: fallback } = settings[name]
    const option = new Option(flagOf(name), fallback ? `${meaning} (default: ${fallback})` : meaning)
    command.addOption(option.env(name))
  }
  return command
}

/** The settings that were given as flags, by their names. */
export const givenFlags = (command: Command): Texts => {
  const options = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  return Object.fromEntries(
    options.map((option) => [option.envVar ?? '', command.getOptionValue(option.attributeName())]),
  )
}
