import { Command } from 'commander'
import type { Answer } from '#client/answer.ts'

import type { Declaration, Declared } from '#resources/declaration.ts'
import { conditionsOf } from '#resources/machine/filters.ts'
import { labelsOf, nounOf, spokenOf } from '#resources/machine/labels.ts'
import { broughtBy } from '#src/app/resources.ts'
import { type Item, recordCommands } from '#src/cli/records.ts'
import { doing, type Json } from '#src/cli/service.ts'

/** A command for each resource that these modules declare. */
export const declaredCommands = async (paths: readonly string[]): Promise<readonly Command[]> =>
  (await broughtBy(paths)).flatMap((one) => ('declaration' in one ? commandOf(one as Declared) : []))

const commandOf = ({ plural, declaration }: Declared): Command => {
  const { name, fields, actions = {} } = declaration as Declaration
  const { fields: labels } = labelsOf(declaration as Declaration).en
  const names = Object.keys(fields)
  const conditions = Object.entries(conditionsOf(declaration as Declaration, {}, 'UTC'))
  const commands = recordCommands({
    name,
    plural,
    fields,
    filters: Object.fromEntries(conditions.map(([filter, { parameter }]) => [filter, parameter])),
    columns: ['id', ...names.map((field) => labels[field]?.label ?? field)],
    row: (item) => [`${name}Id`, ...names].map((field) => String(item[field] ?? '')),
  })
  const { add, list, show, change, remove, restore, showing, idOf, tell, recordsOf } = commands
  const [one, many] = [nounOf(name), spokenOf(plural)]
  const command = new Command(name)
    .description(`Add, list, show, change, remove and restore ${many}.`)
    .addCommand(add(`Add ${one}.`))
    .addCommand(list(`List ${many} in order of creation.`))
    .addCommand(show(`Show ${one} in full.`))
    .addCommand(change(`Change fields of ${one}.`))
    .addCommand(remove(`Remove ${one}.`))
    .addCommand(restore())
  for (const [action, { summary }] of Object.entries(actions))
    command.addCommand(
      doing(
        showing(action, `${summary}.`, '01a1fdc8-…').argument(...idOf),
        async (service, id: string, { json }: Json) => {
          const answer: Answer<Item> = await Reflect.get(recordsOf(service), action)(id)
          await tell(service.value(answer), json)
        },
      ),
    )
  return command
}
