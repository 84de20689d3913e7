import { declaredAs, labelsNow } from '#console/app/api/declared.ts'
import { profileSections } from '#console/app/members/sections.ts'
import { fieldsOf } from '#console/app/records/field.ts'
import type { Words } from '#console/app/words/index.ts'
import type { HistoryWords } from './words.ts'

/** Fields that were changed, in the order of the page. */
export const inPageOrder = (changed: readonly string[]) =>
  [...new Set([...fieldsOf(profileSections()).map(({ name }) => name), ...changed])].filter((field) =>
    changed.includes(field),
  )

/** What a field is called of a record of this kind. */
export const labelOf = (kind: string, field: string, { members, todos }: Words, past: HistoryWords) => {
  const resource = declaredAs(kind)
  if (resource) return labelsNow(resource).fields[field]?.label ?? field
  return { ...members.fields, ...todos.fields, ...past.ofWebhooks }[field as 'address'] ?? field
}

/** What a change is called. */
export const typeText = (type: string, { types, deeds }: HistoryWords) => {
  const [kind = '', deed] = type.split('.')
  const resource = declaredAs(kind)
  if (resource) return deeds[deed as 'created']?.(labelsNow(resource).one) ?? type
  return types[type as 'todo.created'] ?? type
}
