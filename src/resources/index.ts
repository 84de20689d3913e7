import type { Extension } from './declaration.ts'
import { declaredScopes } from './key/declaration.ts'
import { key, keyWith } from './key/index.ts'
import { DeclarationError, requireReferences } from './machine/validity.ts'
import { member, memberWith } from './member/index.ts'
import type { Resource } from './resource.ts'
import { todo, todoWith } from './todo/index.ts'
import { webhook } from './webhook/index.ts'

export const resources: readonly Resource[] = [todo, member, key, webhook]

/** The shipped resources and the given ones, each after the resources that it refers to. */
export const assembleResources = (brought: readonly (Resource | Extension)[]): readonly Resource[] => {
  if (brought.length === 0) return resources
  const declared = brought.filter((one): one is Resource => !('extends' in one))
  const extensions = brought.filter((one): one is Extension => 'extends' in one)
  const of = (name: string) => extensions.filter((one) => one.extends === name)
  const extended = [
    of('todo').length === 0 ? todo : todoWith(of('todo')),
    of('member').length === 0 ? member : memberWith(of('member')),
  ]
  const all = [...resources, ...declared]
  for (const [at, { name, plural }] of all.entries())
    if (all.some((other, index) => index < at && (other.name === name || other.plural === plural)))
      throw new DeclarationError(name, 'another resource has this name')
  const names = new Set(['todo', 'member', ...declared.map(({ name }) => name)])
  for (const one of [...extended, ...declared]) requireReferences(one.name, fieldsOf(one), names)
  return inOrder([...extended, keyWith(declaredScopes(declared)), webhook, ...declared])
}

const fieldsOf = ({ declared }: Resource) =>
  Object.fromEntries(declared?.table.columns.map(({ field, schema }) => [field, schema]) ?? [])

const referredBy = (one: Resource): readonly string[] =>
  Object.values(fieldsOf(one)).flatMap(({ reference = [] }) => reference)

/** Orders resources so that each follows those that it refers to: tables and records are created in this order. */
const inOrder = (declared: readonly Resource[]): readonly Resource[] => {
  const placed: Resource[] = []
  const waiting = [...declared]
  while (waiting.length > 0) {
    const isWaitingFor = (one: Resource) =>
      waiting.some((other) => other !== one && referredBy(one).includes(other.name))
    const next = waiting.find((one) => !isWaitingFor(one))
    if (!next) throw circle(waiting)
    placed.push(next)
    waiting.splice(waiting.indexOf(next), 1)
  }
  return placed
}

const circle = ([first, ...others]: readonly Resource[]) =>
  new DeclarationError(
    first?.name ?? '',
    `it and ${others.map(({ name }) => `"${name}"`).join(', ')} refer to one another in a circle, which their tables cannot: ` +
      'leave out one of these references',
  )
