import { allDeclared, labelOf, labelsNow, memberExtension, resourceNamed } from '#console/app/api/declared.ts'
import { profileSections } from '#console/app/members/sections.ts'
import { fieldsOf } from '#console/app/records/kind.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { HistoryWords } from './words.ts'

/** Fields that were changed, in the order of the page. */
export const inPageOrder = (changed: readonly string[]) =>
  [...new Set([...fieldsOf(profileSections()).map(({ name }) => name), ...changed])].filter((field) =>
    changed.includes(field),
  )

/** The label of a field of this kind of record. */
export const fieldLabel = (kind: string, field: string) => {
  const { members, todos } = wordsNow()
  const own = { member: { ...members.fields, role: members.role }, todo: todos.fields }[kind as 'todo']
  const resource = resourceNamed(kind) ?? memberExtension()
  return own?.[field as 'finished'] ?? (resource ? labelOf(resource, field) : field)
}

/** The name of the records of a resource. */
export const manyOf = (resource: string) => {
  const one = resourceNamed(resource)
  return one ? labelsNow(one).many : wordsNow().pages.members
}

/** The name of a type of change. */
export const typeText = (type: string, { types, deeds }: HistoryWords) => {
  const [kind = '', verb] = type.split('.')
  const resource = resourceNamed(kind)
  if (resource) return deeds[verb as 'created']?.(labelsNow(resource).one) ?? type
  return types[type as 'member.created'] ?? type
}

/** All types of changes, with their names. */
export const allTypes = (past: HistoryWords): Readonly<Record<string, string>> => {
  const own = allDeclared().flatMap(({ name }) => Object.keys(past.deeds).map((deed) => `${name}.${deed}`))
  return Object.fromEntries([...Object.keys(past.types), ...own].map((type) => [type, typeText(type, past)]))
}
