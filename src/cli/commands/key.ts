import { keyFields } from '#resources/key/declaration.ts'
import { resourceCommand } from '#src/cli/records.ts'

export const keyCommand = () =>
  resourceCommand(
    {
      name: 'key',
      plural: 'keys',
      fields: keyFields,
      overrides: {
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
      sentence: ({ keyId, secret }, done) =>
        `${done} ${keyId}.${secret === undefined ? '' : ` This is the key; nobody can show it again:\n${secret}`}`,
      examples: {
        add: '"nightly report" --scope todos:read --scope members:read',
        change: '01a1fdc8-… --name "weekly report"',
      },
      isRestored: false,
    },
    ({ action }) => [
      action(
        'renew',
        'Make a new secret of a key. The one before is good for 24 hours more.',
        ({ keys }, id) => keys.renewSecret(id),
        'Changed',
      ),
    ],
  )

const dayOf = (time: unknown) => (time === null ? 'never' : String(time).slice(0, 16).replace('T', ' '))
