import { Command } from 'commander'
import { printJson } from '#src/cli/output.ts'
import { addServiceFlags, apiAction, type JsonFlag } from '#src/cli/service.ts'

export const meCommand = () => {
  const description = 'Show who you are to the service, what you may do, and until when.'
  const command = addServiceFlags(new Command('me').description(description))
    .option('--json', 'show JSON on one line')
    .addHelpText('after', '\nExample:\n  rollcall me --url https://roll.example.com --token-file key.txt')
  return apiAction(
    command,
    async ({ me, value }, { json }: JsonFlag) => printJson(value(await me()), json),
    'readOnly',
  )
}
