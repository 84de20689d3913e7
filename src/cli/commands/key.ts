import { Command, InvalidArgumentError, Option } from 'commander'
import type { Key, NewKey } from '#client/types.ts'
import { keyScopes } from '#resources/key/schema.ts'
import { jsonLine, print, printLines, visible } from '#src/cli/output.ts'
import { itemCommands, type Json, type Listing, upTo, withService } from '#src/cli/service.ts'
import { printTable } from '#src/cli/table.ts'

const { named, showing, listing } = itemCommands('key')

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
  return command.action((name: string, given: Json & { scope: NewKey['scopes']; expires?: string }) =>
    withService(
      command,
      async ({ keys, value }) => {
        const { json, scope, expires = null } = given
        const made = value(await keys.create({ name, scopes: scope, expiresAt: expires }), flags)
        const words = `Added ${made.keyId}. This is the key; nobody can show it again:\n${made.secret}`
        await print(json ? jsonLine(made) : words)
      },
      'adds',
    ),
  )
}

const list = () => {
  const command = listing('List keys in order of creation.', '--json')
  return command.action(({ json, limit }: Listing) =>
    withService(
      command,
      async ({ keys }) => {
        const batches = upTo(limit, (size) => keys.pages({ size }))
        if (json) await printLines(batches)
        else await printTable(['id', 'name', 'scopes', 'expires', 'last used'], batches, row)
      },
      'reads',
    ),
  )
}

const row = ({ keyId, name, scopes, expiresAt, lastUsedAt }: Key) => [
  keyId,
  visible(name),
  scopes.join(' '),
  dayOf(expiresAt),
  dayOf(lastUsedAt),
]

const dayOf = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? 'never'

const remove = () => {
  const command = named('remove', 'Remove a key: it is refused at once.', '01a1fdc8-…').argument(
    '<key-id>',
    'the id, as `key list` shows it',
  )
  return command.action((id: string) =>
    withService(command, async ({ keys, value }) => value(await keys.remove(id))),
  )
}
