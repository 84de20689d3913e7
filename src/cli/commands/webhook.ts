import { Command } from 'commander'
import { webhookDeclaration } from '#resources/webhook/declaration.ts'
import { CommandFailed } from '#src/cli/exit.ts'
import { jsonLine, print, visible } from '#src/cli/output.ts'
import { recordCommands } from '#src/cli/records.ts'
import { doing, type Json } from '#src/cli/service.ts'

const { url, types, description, values } = webhookDeclaration.fields

const { add, list, remove, showing, idOf } = recordCommands({
  name: 'webhook',
  plural: 'webhooks',
  fields: { url, types, description, values },
  given: {
    url: { flag: '<url>', form: '', about: 'where changes are sent' },
    types: {
      flag: '--type',
      about: 'only changes of this type, such as todo.created or member.*; may be given more than once',
    },
    description: { form: '', about: 'what it is for' },
    values: { about: 'whether each change comes with the record as it became, without its credential' },
  },
  columns: ['id', 'state', 'pending', 'last', 'url'],
  row: ({ webhookId, active, state, pending, lastStatus, lastError, url }) => [
    String(webhookId),
    active ? String(state) : 'inactive',
    String(pending ?? '?'),
    String(lastError ?? lastStatus ?? ''),
    String(url),
  ],
  said: ({ webhookId, secret }) =>
    `Added ${webhookId}. This is its secret; nobody can show it again:\n${secret}`,
})

export const webhookCommand = () =>
  new Command('webhook')
    .description('Add, list, remove, test and replay webhooks.')
    .addCommand(add('Add a webhook. Its secret is shown once.', 'https://receiver.example.com/'))
    .addCommand(list('List webhooks in order of creation.'))
    .addCommand(remove('Remove a webhook.'))
    .addCommand(test())
    .addCommand(replay())
    .addHelpText(
      'after',
      `
Examples:
  rollcall webhook add https://receiver.example.com/rollcall --type member.created --type member.deleted
  rollcall webhook replay 01a1fdc8-… --after oldest`,
    )

const test = () =>
  doing(
    showing('test', 'Send a webhook.test now, and show what became of it.', '01a1fdc8-…').argument(...idOf),
    async ({ webhooks, value }, webhookId: string, { json }: Json) => {
      const delivery = value(await webhooks.test(webhookId))
      const { status, error, milliseconds } = delivery
      const words = [status, error && visible(error)].filter((word) => word !== null).join(': ')
      await print(json ? jsonLine(delivery) : `${words} after ${milliseconds} ms`)
      if (status === null || status < 200 || status > 299)
        throw new CommandFailed('The receiver did not take it.')
    },
  )

interface Replayed extends Json {
  readonly after?: string | null
}

const replay = () => {
  const words = 'a cursor of changes, `oldest` or `latest`; otherwise it goes on where it stands'
  const command = showing('replay', 'Let a webhook go on, at once.', '01a1fdc8-… --after oldest')
    .argument(...idOf)
    .option('--after <cursor>', words)
  return doing(command, async ({ webhooks, value }, id: string, { json, after = null }: Replayed) => {
    const moved = value(await webhooks.move(id, { after }), { after: '--after' })
    await print(json ? jsonLine(moved) : `Changes to be sent: ${moved.pending}`)
  })
}
