import { Command } from 'commander'
import type { NewWebhook, Webhook } from '#client/types.ts'
import { CommandFailed } from '#src/cli/exit.ts'
import { jsonLine, print, printLines, visible } from '#src/cli/output.ts'
import { itemCommands, type Json, type Listing, upTo, withService } from '#src/cli/service.ts'
import { printTable } from '#src/cli/table.ts'

const { named, showing, listing } = itemCommands('webhook')

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

const id = ['<webhook-id>', 'the id, as `webhook list` shows it'] as const

const oneMore = (type: string, before: readonly string[] = []) => [...before, type]

interface Added extends Json {
  readonly type?: NonNullable<NewWebhook['types']>
  readonly description?: string
}

const add = () => {
  const command = showing('add', 'Add a webhook. Its secret is shown once.', 'https://receiver.example.com/')
    .argument('<url>', 'where changes are sent')
    .option('--type <type>', 'only changes of this type; may be given more than once', oneMore)
    .option('--description <text>', 'what it is for')
  return command.action((url: string, { json, type: types, description }: Added) =>
    withService(
      command,
      async ({ webhooks, value }) => {
        const made = value(
          await webhooks.create({ url, types: types ?? null, description: description ?? null }),
          flags,
        )
        const words = `Added ${made.webhookId}. This is its secret; nobody can show it again:\n${made.secret}`
        await print(json ? jsonLine(made) : words)
      },
      'adds',
    ),
  )
}

const list = () => {
  const command = listing('List webhooks in order of creation.', '--json')
  return command.action(({ json, limit }: Listing) =>
    withService(
      command,
      async ({ webhooks }) => {
        const batches = upTo(limit, (size) => webhooks.pages({ size }))
        if (json) await printLines(batches)
        else await printTable(['id', 'state', 'pending', 'last', 'url'], batches, row)
      },
      'reads',
    ),
  )
}

const row = ({ webhookId, active, state, pending, lastStatus, lastError, url }: Webhook) => [
  webhookId,
  active ? state : 'inactive',
  String(pending ?? '?'),
  visible(lastError ?? String(lastStatus ?? '')),
  visible(url),
]

const remove = () => {
  const command = named('remove', 'Remove a webhook.', '01a1fdc8-…').argument(...id)
  return command.action((webhookId: string) =>
    withService(command, async ({ webhooks, value }) => value(await webhooks.remove(webhookId))),
  )
}

const test = () => {
  const command = showing(
    'test',
    'Send a webhook.test now, and show what became of it.',
    '01a1fdc8-…',
  ).argument(...id)
  return command.action((webhookId: string, { json }: Json) =>
    withService(command, async ({ webhooks, value }) => {
      const delivery = value(await webhooks.test(webhookId))
      const { status, error, milliseconds } = delivery
      const words = [status, error && visible(error)].filter((word) => word !== null).join(': ')
      await print(json ? jsonLine(delivery) : `${words} after ${milliseconds} ms`)
      if (status === null || status < 200 || status > 299)
        throw new CommandFailed('The receiver did not take it.')
    }),
  )
}

const replay = () => {
  const command = showing('replay', 'Let a webhook go on, at once.', '01a1fdc8-… --after oldest')
    .argument(...id)
    .option(
      '--after <cursor>',
      'a cursor of changes, `oldest` or `latest`; otherwise it goes on where it stands',
    )
  return command.action((webhookId: string, { json, after }: Json & { readonly after?: string }) =>
    withService(command, async ({ webhooks, value }) => {
      const moved = value(await webhooks.move(webhookId, { after: after ?? null }), flags)
      await print(json ? jsonLine(moved) : `Changes to be sent: ${moved.pending}`)
    }),
  )
}
