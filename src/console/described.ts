import { isNullable } from '#core/schema.ts'
import type { Declared } from '#resources/declaration.ts'
import { declaredScopes } from '#resources/key/declaration.ts'
import { labelsOf, pluralOf } from '#resources/machine/labels.ts'
import type { Keywords } from '#resources/machine/storage.ts'
import type { Resource } from '#resources/resource.ts'
import type { DescribedField, DescribedResource, FieldKind } from './description.ts'

/** Describes the resources that have no pages of their own, and the further fields of those that have. */
export const describe = (resources: readonly Resource[]): readonly DescribedResource[] =>
  resources.flatMap((resource) => {
    const { further } = resource
    const declaration = further ?? (isDeclared(resource) ? resource.declaration : undefined)
    if (!declaration) return []
    const { name, fields, actions = {}, access } = declaration
    return {
      name,
      plural: pluralOf(declaration),
      isExtension: further !== undefined,
      fields: Object.entries<Kept>(fields).map(fieldOf),
      actions: Object.keys(actions),
      access: access?.member ?? [],
      scopes: declaredScopes([resource]),
      labels: labelsOf(declaration),
    }
  })

type Kept = Keywords & { readonly starting?: unknown }

const ownPages: readonly string[] = ['todo', 'member', 'key', 'webhook']

const isDeclared = (resource: Resource): resource is Declared =>
  'declaration' in resource && !ownPages.includes(resource.name)

const fieldOf = ([name, schema]: [string, Kept]): DescribedField => {
  const { minLength, minimum, starting, reference, 'x-extensible-enum': codes } = schema
  return {
    name,
    kind: kindOf(schema),
    isNullable: isNullable(schema),
    min: minLength ?? minimum,
    codes,
    of: reference,
    starting,
  }
}

const kindOf = ({ reference, codeList, zone, format, type }: Keywords): FieldKind => {
  if (reference !== undefined) return 'reference'
  if (codeList !== undefined) return 'code'
  if (zone !== undefined) return 'time'
  if (format === 'date') return 'day'
  if (format === 'idn-email') return 'email'
  if (format === 'uuid') return 'id'
  if (type?.includes('boolean')) return 'flag'
  return type?.includes('integer') ? 'whole' : 'text'
}
