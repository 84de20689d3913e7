import { chooseTitleFields } from '#core/display.ts'
import { isNullable, type Schema, startingValueOf } from '#core/schema.ts'
import type { Declared } from '#resources/declaration.ts'
import { labelsOf, pluralOf } from '#resources/machine/labels.ts'
import type { Resource } from '#resources/resource.ts'
import type { DescribedField, DescribedResource, FieldKind } from './description.ts'

/** Describes the declared resources, and the fields that were added to members. */
export const describe = (resources: readonly Resource[]): readonly DescribedResource[] =>
  resources.flatMap((resource, index) => {
    const declaration = isDeclared(resource) ? resource.declaration : resource.extension
    if (!declaration) return []
    const { name, actions = {}, access } = declaration
    const fields = Object.entries(declaration.fields).map(fieldOf)
    const titles = chooseTitleFields(fields, (of) =>
      resources.slice(0, index).some(({ name }) => name === of),
    )
    return {
      name,
      plural: pluralOf(declaration),
      isExtension: !isDeclared(resource),
      isShipped: shippedNames.includes(name),
      fields,
      // A webhook is named by its description rather than by its address.
      titles: (name === 'webhook' ? titles.toReversed() : titles).map((field) => field.name),
      actions: Object.keys(actions),
      access: access?.member ?? [],
      labels: shippedNames.includes(name) ? dropDescriptions(labelsOf(declaration)) : labelsOf(declaration),
    }
  })

/** Drops the descriptions of a shipped resource, because the console has its own hints. */
const dropDescriptions = <T>(labels: T): T =>
  JSON.parse(JSON.stringify(labels, (key, value) => (key === 'about' ? undefined : value)))

const shippedNames: readonly string[] = ['todo', 'key', 'webhook']

const isDeclared = (resource: Resource): resource is Declared => 'declaration' in resource

const fieldOf = ([name, schema]: [string, Schema]): DescribedField => {
  const { minLength, maxLength, minimum, reference } = schema
  const { 'x-extensible-enum': codes } = schema.items ?? schema
  return {
    name,
    kind: kindOf(schema),
    isNullable: isNullable(schema),
    min: minLength ?? minimum,
    max: maxLength,
    codes,
    of: reference,
    starting: startingValueOf(schema),
  }
}

/** The kind of a field. In schemas of files, a time is a text without `zone`. */
export const kindOf = ({ reference, codeList, zone, format, type }: Schema): FieldKind => {
  if (reference !== undefined) return 'reference'
  if (codeList !== undefined) return 'code'
  if (zone !== undefined || format === 'date-time') return 'time'
  if (format === 'date') return 'day'
  if (format === 'idn-email') return 'email'
  if (format === 'uuid') return 'id'
  if (type?.includes('boolean')) return 'flag'
  if (type?.includes('array')) return 'codes'
  return type?.includes('integer') ? 'whole' : 'text'
}
