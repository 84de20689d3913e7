import { isNullable, type Schema } from '#core/schema.ts'
import type { Extension } from './declaration.ts'
import { declaredScopes } from './key/declaration.ts'
import { key, keyWith } from './key/index.ts'
import { DeclarationError, requireReferences } from './machine/validity.ts'
import { member, memberWith } from './member/index.ts'
import type { Resource } from './resource.ts'
import { todo, todoWith } from './todo/index.ts'
import { webhook } from './webhook/index.ts'

export const resources: readonly Resource[] = [todo, member, key, webhook]

/** The shipped and the custom resources. Each comes after those that it refers to. */
export const assembleResources = (custom: readonly (Resource | Extension)[]): readonly Resource[] => {
  if (custom.length === 0) return resources
  const declared = custom.filter((one): one is Resource => !('extends' in one))
  const extensions = custom.filter((one): one is Extension => 'extends' in one)
  const extensionsOf = (name: string) => extensions.filter((one) => one.extends === name)
  const extended = [
    extensionsOf('todo').length === 0 ? todo : todoWith(extensionsOf('todo')),
    extensionsOf('member').length === 0 ? member : memberWith(extensionsOf('member')),
  ]
  const all = [...resources, ...declared]
  for (const [at, { name, plural }] of all.entries())
    if (all.some((other, index) => index < at && (other.name === name || other.plural === plural)))
      throw new DeclarationError(name, 'another resource has this name')
  const names = new Set(['todo', 'member', ...declared.map(({ name }) => name)])
  for (const one of [...extended, ...declared]) requireReferences(one.name, fieldsOf(one), names)
  return orderByReference([...extended, keyWith(declaredScopes(declared)), webhook, ...declared])
}

const fieldsOf = ({ declared }: Resource) =>
  Object.fromEntries(declared?.table.columns.map(({ field, schema }) => [field, schema]) ?? [])

const referencedNames = (one: Resource, matches = (_: Schema) => true): readonly string[] =>
  Object.values(fieldsOf(one)).flatMap((schema) => (matches(schema) ? (schema.reference ?? []) : []))

const isRequired = (schema: Schema) => !isNullable(schema)

/**
 * Puts each resource after those that it refers to. In a cycle, Nullable references are ignored. A cycle comes before the resources
 * that only refer to it.
 */
const orderByReference = (declared: readonly Resource[]): readonly Resource[] => {
  const placed: Resource[] = []
  const waiting = [...declared]
  while (waiting.length > 0) {
    const next = waiting.find((one) => {
      const required = referencedNames(one, isRequired)
      const reached = [...reachable(one, waiting)]
      return (
        !waiting.some((other) => other !== one && required.includes(other.name)) &&
        reached.every((other) => reachable(other, waiting).has(one))
      )
    })
    if (!next) throw circularReferences(waiting)
    placed.push(next)
    waiting.splice(waiting.indexOf(next), 1)
  }
  return placed
}

/** The resources in `among` to which `one` refers, directly or through others. */
const reachable = (one: Resource, among: readonly Resource[], found = new Set<Resource>()) => {
  for (const other of among)
    if (!found.has(other) && referencedNames(one).includes(other.name))
      reachable(other, among, found.add(other))
  return found
}

const circularReferences = ([first, ...others]: readonly Resource[]) =>
  new DeclarationError(
    first?.name ?? '',
    `it and ${others.map(({ name }) => `"${name}"`).join(', ')} refer to one another in a circle, so no first record could be created: ` +
      'make one of these references Nullable',
  )
