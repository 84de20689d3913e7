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
          flag: '--expires',
          form: '',
          about: 'when it ends: a date, or a time such as 2027-01-31T00:00:00.000Z',
        },
      },
      columns: ['id', 'name', 'scopes', 'expires', 'last used'],
      row: ({ keyId, name, scopes, expiresAt, lastUsedAt }) => [
        String(keyId),
        String(name),
        [scopes].flat().join(' '),
        formatTime(expiresAt),
        formatTime(lastUsedAt),
      ],
      sentence: ({ keyId, secret }, done) =>
        `${done} ${keyId}.${secret === undefined ? '' : ` Copy the key now; it is not shown again:\n${secret}`}`,
      examples: {
        add: '"nightly report" --scope todos:read --scope members:read',
        change: '01a1fdc8-… --name "weekly report"',
      },
      hasHistory: false,
    },
    ({ itemCommand }) => [
      itemCommand(
        'renew',
        'Make a new secret for a key. The old one stays valid for 24 hours.',
        ({ keys }, id) => keys.renewSecret(id),
        'Changed',
      ),
    ],
  )

const formatTime = (time: unknown) => (time === null ? 'never' : String(time).slice(0, 16).replace('T', ' '))
