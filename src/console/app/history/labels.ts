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

/** The label of a field of this kind of record. Also of fields without a declaration, such as the role. */
export const fieldLabel = (kind: string, field: string) => {
  const { members, todos } = wordsNow()
  const labels = { member: { ...members.fields, role: members.role }, todo: todos.fields }[kind as 'todo']
  const resource = resourceNamed(kind) ?? memberExtension()
  return labels?.[field as 'finished'] ?? (resource ? labelOf(resource, field) : field)
}

export const pluralLabelOf = (resource: string) => {
  const declared = resourceNamed(resource)
  return declared ? labelsNow(declared).many : wordsNow().pages.members
}

/** The label of a type of change, such as `Member added`. */
export const typeLabel = (type: string, { types, verbs }: HistoryWords) => {
  const [kind = '', verb] = type.split('.')
  const resource = resourceNamed(kind)
  if (resource) return verbs[verb as 'created']?.(labelsNow(resource).one) ?? type
  return types[type as 'member.created'] ?? type
}

export const changeTypeLabels = (labels: HistoryWords): Readonly<Record<string, string>> => {
  const declaredTypes = allDeclared().flatMap(({ name }) =>
    Object.keys(labels.verbs).map((verb) => `${name}.${verb}`),
  )
  return Object.fromEntries(
    [...Object.keys(labels.types), ...declaredTypes].map((type) => [type, typeLabel(type, labels)]),
  )
}
