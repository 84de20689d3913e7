import { Command } from 'commander'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettingFlags, collectSettings, maskSecret, settingFlag, settingNames } from '#src/cli/settings.ts'
import { table } from '#src/cli/table.ts'
import { settings } from '#src/config/settings.ts'
import { readFromSources, settingText, sourceOf } from '#src/config.ts'

export const configCommand = () => {
  const command = new Command('config')
    .description('Show the settings that `serve` would use, and where each comes from.')
    .option('--json', 'show them as JSON')
  addSettingFlags(command).addHelpText(
    'after',
    `
Flags override the environment, and the environment overrides the settings file. Secrets are masked.

Example:
  PORT=9000 rollcall config --settings-file /etc/rollcall/settings`,
  )
  return command.action(async ({ json }: { json?: true }) => {
    const sources = collectSettings(command)
    readFromSources(sources)
    const shown = settingNames.map((name) => {
      const text = settingText(name, sources)
      const value = text === undefined ? undefined : maskSecret(name, text)
      return { name, value, source: sourceOf(name, sources), meaning: settings[name].meaning }
    })
    const rows = shown.map(({ name, value, source }) => [name, value || '–', source, settingFlag(name)])
    await print(json ? jsonLine(shown) : table(['setting', 'value', 'from', 'flag'], rows))
  })
}
