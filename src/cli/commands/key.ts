import { Command } from 'commander'
import { keyFields } from '#resources/key/schema.ts'

import { recordCommands } from '#src/cli/records.ts'

const { add, list, remove } = recordCommands({
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
  said: ({ keyId, secret }) => `Added ${keyId}. This is the key; nobody can show it again:\n${secret}`,
})

export const keyCommand = () =>
  new Command('key')
    .description('Add, list and remove keys for machines.')
    .addCommand(add('Add a key. It is shown once.', '"nightly report" --scope todos:read'))
    .addCommand(list('List keys in order of creation.'))
    .addCommand(remove('Remove a key: it is refused at once.'))
    .addHelpText(
      'after',
      `
Examples:
  rollcall key add "nightly report" --scope todos:read --scope members:read
  rollcall key remove 01a1fdc8-…`,
    )

const dayOf = (time: unknown) => (time === null ? 'never' : String(time).slice(0, 16).replace('T', ' '))
