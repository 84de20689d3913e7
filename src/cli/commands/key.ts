import { Command } from 'commander'
import { keyFields } from '#resources/key/declaration.ts'

import { recordCommands } from '#src/cli/records.ts'
import { doing, type Json } from '#src/cli/service.ts'

const { add, list, change, remove, showing, idOf, tell } = recordCommands({
  name: 'key',
  plural: 'keys',
  fields: keyFields,
  given: {
    name: { flag: '<name>', about: 'what the key is for' },
    scopes: { flag: '--scope', about: 'what it permits; may be given more than once' },
    expiresAt: {
      ...{ flag: '--expires', form: '' },
      about: 'when it ends: a date, or a time such as 2027-01-31T00:00:00.000Z',
    },
  },
  columns: ['id', 'name', 'scopes', 'expires', 'last used'],
  row: ({ keyId, name, scopes, expiresAt, lastUsedAt }) => [
    String(keyId),
    String(name),
    [scopes].flat().join(' '),
    dayOf(expiresAt),
    dayOf(lastUsedAt),
  ],
  said: ({ keyId, secret }, done) =>
    `${done} ${keyId}.${secret === undefined ? '' : ` This is the key; nobody can show it again:\n${secret}`}`,
})

export const keyCommand = () =>
  new Command('key')
    .description('Add, list, change, renew and remove keys for machines.')
    .addCommand(add('Add a key. It is shown once.', '"nightly report" --scope todos:read'))
    .addCommand(list('List keys in order of creation.'))
    .addCommand(change('Change a key. It takes effect at once.', '01a1fdc8-… --name "weekly report"'))
    .addCommand(renew())
    .addCommand(remove('Remove a key: it is refused at once.'))
    .addHelpText(
      'after',
      `
Examples:
  rollcall key add "nightly report" --scope todos:read --scope members:read
  rollcall key remove 01a1fdc8-…`,
    )

const renew = () =>
  doing(
    showing(
      'renew',
      'Make a new secret of a key. The one before is good for 24 hours more.',
      '01a1fdc8-…',
    ).argument(...idOf),
    async ({ keys, value }, keyId: string, { json }: Json) =>
      tell({ ...value(await keys.renewSecret(keyId)) }, json, 'Changed'),
  )

const dayOf = (time: unknown) => (time === null ? 'never' : String(time).slice(0, 16).replace('T', ' '))
