import type { Command } from 'commander'
import type { Delivery } from '#client/index.ts'
import { webhookDeclaration, webhookRequestFields } from '#resources/webhook/declaration.ts'
import { CommandFailed } from '#src/cli/exit.ts'
import { escapeControls, jsonLine, print } from '#src/cli/output.ts'
import { type ResourceTools, resourceCommand } from '#src/cli/records.ts'
import type { FlagByField } from '#src/cli/remote.ts'
import { apiAction, type JsonFlag } from '#src/cli/service.ts'
import { table } from '#src/cli/table.ts'

export const webhookCommand = () =>
  resourceCommand(
    {
      name: 'webhook',
      plural: 'webhooks',
      fields: { ...webhookDeclaration.fields, active: webhookRequestFields.active },
      overrides: {
        url: { flag: '<url>', form: '', about: 'where changes are sent' },
        types: {
          flag: '--type',
          about: 'only changes of this type, such as todo.created or member.*; may be given more than once',
        },
        description: { form: '', about: 'what it is for' },
        active: { about: 'whether changes are sent (default: true)' },
        values: { about: 'whether each change includes the new record, without its credential' },
      },
      columns: ['id', 'state', 'pending', 'last', 'url'],
      row: ({ webhookId, active, state, pending, lastStatus, lastError, url }) => [
        String(webhookId),
        active ? String(state) : 'inactive',
        String(pending ?? '?'),
        String(lastError ?? lastStatus ?? ''),
        String(url),
      ],
      sentence: ({ webhookId, secret }, done) =>
        `${done} ${webhookId}.${secret === undefined ? '' : ` Copy its secret now; it is not shown again:\n${secret}`}`,
      examples: {
        add: 'https://receiver.example.com/rollcall --type member.created --type member.deleted',
        change: '01a1fdc8-… --active false',
        replay: '01a1fdc8-… --after oldest',
        resend: '01a1fdc8-… 01a1fdc9-…',
      },
      hasHistory: false,
    },
    (tools) => [
      testCommand(tools),
      replayCommand(tools),
      deliveriesCommand(tools),
      resendCommand(tools),
      tools.itemCommand(
        'renew',
        'Make a new secret for a webhook. For 24 hours, the old one signs as well.',
        ({ webhooks }, id) => webhooks.renewSecret(id),
        'Changed',
      ),
    ],
  )

const testCommand = ({ jsonCommand, selector }: ResourceTools): Command =>
  apiAction(
    selector.argument(jsonCommand('test', 'Send a webhook.test now, and show the outcome.')),
    async ({ webhooks, value }, webhookId: string, { json }: JsonFlag) =>
      printDelivery(value(await webhooks.test(webhookId)), json),
  )

const resendCommand = ({ jsonCommand, selector }: ResourceTools): Command =>
  apiAction(
    selector
      .argument(jsonCommand('resend', 'Send the change of a delivery again, and show the outcome.'))
      .argument('<delivery-id>', 'the id, as `webhook deliveries` shows it'),
    async ({ webhooks, value }, webhookId: string, deliveryId: string, { json }: JsonFlag) =>
      printDelivery(value(await webhooks.resend(webhookId, deliveryId)), json),
  )

const describeOutcome = ({ status, error }: Delivery) =>
  [status, error && escapeControls(error)].filter((word) => word !== null).join(': ')

/** Prints the outcome of a request to a receiver. Fails if the receiver failed. */
const printDelivery = async (delivery: Delivery, json?: true) => {
  const { status, milliseconds } = delivery
  await print(json ? jsonLine(delivery) : `${describeOutcome(delivery)} after ${milliseconds} ms`)
  if (status === null || status < 200 || status > 299)
    throw new CommandFailed('The receiver did not accept it.')
}

const deliveriesCommand = ({ jsonCommand, selector }: ResourceTools): Command =>
  apiAction(
    selector.argument(jsonCommand('deliveries', 'List the last hundred attempts to deliver, newest first.')),
    async ({ webhooks, value }, webhookId: string, { json }: JsonFlag) => {
      const { content } = value(await webhooks.getDeliveries(webhookId))
      const columns = ['id', 'sent', 'change', 'attempt', 'outcome']
      const rows = content.map((one) => [
        ...[one.deliveryId, one.sentAt, one.type, String(one.attempt), describeOutcome(one)],
      ])
      if (json) for (const one of content) await print(jsonLine(one))
      else await print(table(columns, rows))
    },
    'readOnly',
  )

const replayCommand = ({ jsonCommand, selector }: ResourceTools): Command => {
  const afterHelp = 'a cursor of changes, `oldest` or `latest` (default: where it stopped)'
  const command = selector
    .argument(jsonCommand('replay', 'Continue delivering at once, or again from an earlier change.'))
    .option('--after <cursor>', afterHelp)
  return apiAction(
    command,
    async ({ webhooks, value }, id: string, { json, after }: JsonFlag & FlagByField) => {
      const webhook = value(await webhooks.move(id, { after: after ?? null }), { after: '--after' })
      await print(json ? jsonLine(webhook) : `Changes to be sent: ${webhook.pending}`)
    },
  )
}
