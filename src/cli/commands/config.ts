import { Command } from 'commander'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettings, givenSettings, maskSecret, settingFlag, settingNames } from '#src/cli/settings.ts'
import { table } from '#src/cli/table.ts'
import { settings } from '#src/config/settings.ts'
import { readGiven, settingText, sourceOf } from '#src/config.ts'

export const configCommand = () => {
  const command = new Command('config')
    .description('Show the settings that `serve` would use, and where each comes from.')
    .option('--json', 'show them as JSON')
  addSettings(command).addHelpText(
    'after',
    `
Flags override the environment, and the environment overrides the settings file. Secrets are masked.

Example:
  PORT=9000 rollcall config --settings-file /etc/rollcall/settings`,
  )
  return command.action(async ({ json }: { json?: true }) => {
    const given = givenSettings(command)
    readGiven(given)
    const shown = settingNames.map((name) => {
      const text = settingText(name, given)
      const value = text === undefined ? undefined : maskSecret(name, text)
      return { name, value, source: sourceOf(name, given), meaning: settings[name].meaning }
    })
    const rows = shown.map(({ name, value, source }) => [name, value || '–', source, settingFlag(name)])
    await print(json ? jsonLine(shown) : table(['setting', 'value', 'from', 'flag'], rows))
  })
}
