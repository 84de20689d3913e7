import type { Command } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Declaration, Declared } from '#resources/declaration.ts'
import { conditionsOf } from '#resources/machine/filters.ts'
import { inSentence, labelsOf, withArticle } from '#resources/machine/labels.ts'
import { loadResources } from '#src/app/resources.ts'
import { type Item, resourceCommand } from '#src/cli/records.ts'

/** A command for each resource that these modules declare. */
export const declaredCommands = async (paths: readonly string[]): Promise<readonly Command[]> =>
  (await loadResources(paths)).flatMap((one) => ('declaration' in one ? commandOf(one as Declared) : []))

const commandOf = ({ plural, declaration }: Declared): Command => {
  const { name, fields, actions = {} } = declaration as Declaration
  const { fields: labels } = labelsOf(declaration as Declaration).en
  const names = Object.keys(fields)
  // Only the parameters of the conditions are used. They depend neither on shipped parts nor on a time zone.
  const conditions = Object.entries(conditionsOf(declaration as Declaration, {}, 'UTC'))
  return resourceCommand(
    {
      name,
      plural,
      nouns: [withArticle(name), inSentence(plural)],
      fields,
      filters: Object.fromEntries(conditions.map(([filter, { parameter }]) => [filter, parameter])),
      columns: ['id', ...names.map((field) => labels[field]?.label ?? field)],
      row: (item) => [`${name}Id`, ...names].map((field) => String(item[field] ?? '')),
    },
    ({ itemCommand, recordsOf }) =>
      Object.entries(actions).map(([verb, { summary }]) =>
        itemCommand(
          verb,
          `${summary}.`,
          (service, id): Promise<Answer<Item>> => Reflect.get(recordsOf(service), verb)(id),
        ),
      ),
  )
}
