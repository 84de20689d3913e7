import { callSignedIn } from '#console/app/api/call.ts'
import { type DeclaredRecord, recordsOf, resourceAt } from '#console/app/api/declared.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { type Field, fieldsOf, type Kind } from '#console/app/records/kind.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { DescribedResource } from '#console/description.ts'
import { declaredKind, labelledField } from './kind.ts'

/** The kind of the records at this path, such as `members`. */
export const kindAt = (path: string): Kind => {
  const resource = resourceAt(path)
  if (!resource) return memberKind
  return resource.name === 'todo' ? todoKind(resource) : declaredKind(resource)
}

/** The kind of todos, for their history and for exports. It sends a PATCH, because a PUT marks a todo as finished. */
const todoKind = (resource: DescribedResource): Kind<DeclaredRecord> => {
  const kind = declaredKind(resource, { shownAs })
  return {
    ...kind,
    columns: () => [...fieldsOf(kind.form()), labelledField(resource, 'createdAt', 'time')],
    update: (known, values) => callSignedIn(() => recordsOf(resource).patch(known, values)),
  }
}

const shownAs = ({ name }: Field): Partial<Field> => {
  const { fields, filters } = wordsNow().todos
  if (name !== 'finished') return {}
  return { label: fields.finished, texts: { true: filters.finished, false: filters.open } }
}
