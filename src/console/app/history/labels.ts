import { declaredAs, extensionOf, labelOf, labelsNow, resourcesWithPages } from '#console/app/api/declared.ts'
import { profileSections } from '#console/app/members/sections.ts'
import { fieldsOf } from '#console/app/records/field.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { HistoryWords } from './words.ts'

/** Fields that were changed, in the order of the page. */
export const inPageOrder = (changed: readonly string[]) =>
  [...new Set([...fieldsOf(profileSections()).map(({ name }) => name), ...changed])].filter((field) =>
    changed.includes(field),
  )

/** The label of a field of this kind of record. */
export const fieldLabel = (kind: string, field: string) => {
  const resource = declaredAs(kind)
  if (resource) return labelOf(resource, field)
  const { members, todos } = wordsNow()
  const label = { ...members.fields, role: members.role, ...todos.fields }[field as 'address']
  const further = extensionOf(kind)
  return label ?? (further ? labelOf(further, field) : field)
}

/** The name of the records of a resource. */
export const manyOf = (resource: string) => {
  const { members, todos } = wordsNow().pages
  const one = declaredAs(resource)
  return one ? labelsNow(one).many : resource === 'member' ? members : todos
}

/** The name of a type of change. */
export const typeText = (type: string, { types, deeds }: HistoryWords) => {
  const [kind = '', verb] = type.split('.')
  const resource = declaredAs(kind)
  if (resource) return deeds[verb as 'created']?.(labelsNow(resource).one) ?? type
  return types[type as 'todo.created'] ?? type
}

/** All types of changes, with their names. */
export const allTypes = (past: HistoryWords): Readonly<Record<string, string>> => {
  const added = resourcesWithPages().flatMap(({ name }) =>
    Object.keys(past.deeds).map((deed) => `${name}.${deed}`),
  )
  return Object.fromEntries(
    [...Object.keys(past.types), ...added].map((type) => [type, typeText(type, past)]),
  )
}
