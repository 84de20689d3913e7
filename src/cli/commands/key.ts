import { Command, InvalidArgumentError, Option } from 'commander'
import type { Key, NewKey } from '#client/types.ts'
import { keyScopes } from '#resources/key/schema.ts'
import { jsonLine, print, visible } from '#src/cli/output.ts'
import { doing, itemCommands, type Json } from '#src/cli/service.ts'

const { named, showing, listing, idOf } = itemCommands('key')

/** How a refusal names a field. */
const flags = { name: '<name> (1 to 64 characters)', scopes: '--scope', expiresAt: '--expires' }

export const keyCommand = () =>
  new Command('key')
    .description('Add, list and remove keys for machines.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(remove())
    .addHelpText(
      'after',
      `
Examples:
  rollcall key add "nightly report" --scope todos:read --scope members:read
  rollcall key remove 01a1fdc8-…`,
    )

const oneMore = (scope: string, before: readonly string[] = []) => {
  if (keyScopes.some((known) => known === scope)) return [...before, scope]
  throw new InvalidArgumentError(`Allowed choices are ${keyScopes.join(', ')}.`)
}

const add = () => {
  const command = showing('add', 'Add a key. It is shown once.', '"nightly report" --scope todos:read')
    .argument('<name>', 'what the key is for')
    .addOption(
      new Option('--scope <scope>', 'what it permits; may be given more than once')
        .choices(keyScopes)
        .argParser(oneMore)
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when it ends: a date, or a time such as 2027-01-31T00:00:00.000Z')
  return doing(
    command,
    async ({ keys, value }, name: string, { json, scope, expires = null }: Added) => {
      const made = value(await keys.create({ name, scopes: scope, expiresAt: expires }), flags)
      const words = `Added ${made.keyId}. This is the key; nobody can show it again:\n${made.secret}`
      await print(json ? jsonLine(made) : words)
    },
    'adds',
  )
}

interface Added extends Json {
  readonly scope: NewKey['scopes']
  readonly expires?: string | null
}

const list = () =>
  listing<Key>('List keys in order of creation.', '--json', {
    columns: ['id', 'name', 'scopes', 'expires', 'last used'],
    row,
    pages: ({ keys }, size) => keys.pages({ size }),
  })

const row = ({ keyId, name, scopes, expiresAt, lastUsedAt }: Key) => [
  keyId,
  visible(name),
  scopes.join(' '),
  dayOf(expiresAt),
  dayOf(lastUsedAt),
]

const dayOf = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? 'never'

const remove = () =>
  doing(
    named('remove', 'Remove a key: it is refused at once.', '01a1fdc8-…').argument(...idOf),
    async ({ keys, value }, id: string) => value(await keys.remove(id)),
  )
