import { Command } from 'commander'
import type { NewWebhook, Webhook } from '#client/types.ts'
import { CommandFailed } from '#src/cli/exit.ts'
import { jsonLine, print, visible } from '#src/cli/output.ts'
import { doing, itemCommands, type Json } from '#src/cli/service.ts'

const { named, showing, listing, idOf } = itemCommands('webhook')

/** How a refusal names a field. */
const flags = { url: '<url>', types: '--type', description: '--description', after: '--after' }

export const webhookCommand = () =>
  new Command('webhook')
    .description('Add, list, remove, test and replay webhooks.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(remove())
    .addCommand(test())
    .addCommand(replay())
    .addHelpText(
      'after',
      `
Examples:
  rollcall webhook add https://receiver.example.com/rollcall --type member.created --type member.deleted
  rollcall webhook replay 01a1fdc8-… --after oldest`,
    )

const oneMore = (type: string, before: readonly string[] = []) => [...before, type]

interface Added extends Json {
  readonly type?: NewWebhook['types']
  readonly description?: string | null
}

const add = () => {
  const command = showing('add', 'Add a webhook. Its secret is shown once.', 'https://receiver.example.com/')
    .argument('<url>', 'where changes are sent')
    .option('--type <type>', 'only changes of this type; may be given more than once', oneMore)
    .option('--description <text>', 'what it is for')
  return doing(
    command,
    async ({ webhooks, value }, url: string, { json, type: types = null, description = null }: Added) => {
      const made = value(await webhooks.create({ url, types, description }), flags)
      const words = `Added ${made.webhookId}. This is its secret; nobody can show it again:\n${made.secret}`
      await print(json ? jsonLine(made) : words)
    },
    'adds',
  )
}

const list = () =>
  listing<Webhook>('List webhooks in order of creation.', '--json', {
    columns: ['id', 'state', 'pending', 'last', 'url'],
    row,
    pages: ({ webhooks }, size) => webhooks.pages({ size }),
  })

const row = ({ webhookId, active, state, pending, lastStatus, lastError, url }: Webhook) => [
  webhookId,
  active ? state : 'inactive',
  String(pending ?? '?'),
  visible(lastError ?? String(lastStatus ?? '')),
  visible(url),
]

const remove = () =>
  doing(
    named('remove', 'Remove a webhook.', '01a1fdc8-…').argument(...idOf),
    async ({ webhooks, value }, webhookId: string) => value(await webhooks.remove(webhookId)),
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

const replay = () => {
  const command = showing('replay', 'Let a webhook go on, at once.', '01a1fdc8-… --after oldest')
    .argument(...idOf)
    .option(
      '--after <cursor>',
      'a cursor of changes, `oldest` or `latest`; otherwise it goes on where it stands',
    )
  return doing(command, async ({ webhooks, value }, id: string, { json, after = null }: Replayed) => {
    const moved = value(await webhooks.move(id, { after }), flags)
    await print(json ? jsonLine(moved) : `Changes to be sent: ${moved.pending}`)
  })
}

interface Replayed extends Json {
  readonly after?: string | null
}
