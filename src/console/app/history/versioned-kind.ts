import type { Done, Todo } from '#client/index.ts'
import { callSignedIn, todos } from '#console/app/api/call.ts'
import { declaredAt, extensionOf } from '#console/app/api/declared.ts'
import { declaredKind } from '#console/app/declared/kind.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { describedFields } from '#console/app/records/described.ts'
import { type Field, fieldsOf } from '#console/app/records/field.ts'
import type { Kind, KnownItem } from '#console/app/records/kind.ts'
import { wordsNow } from '#console/app/words/index.ts'

/** A kind of record whose versions are shown and put back. */
export interface VersionedKind {
  readonly name: string
  /** The page of a record that is not deleted. */
  readonly page: (id: string) => string
  /** The fields that can be put back, in the order of the page. */
  readonly fields: () => readonly Field[]
  /** All fields of a version that are shown. */
  readonly shown: () => readonly Field[]
  /** The version that is stored now. `putBack` changes only that version. */
  readonly read: (id: string) => Promise<Done<object>>
  readonly putBack: (now: KnownItem, values: object) => Promise<unknown>
  /** Says which fields a restored record does not get back. */
  readonly notRestored: () => string | undefined
}

/** The kind of the records at this path, such as `members`. */
export const versionedKindAt = (path: string): VersionedKind => {
  if (path === 'members') return fromKind(memberKind)
  const resource = declaredAt(path)
  return resource ? fromKind(declaredKind(resource)) : versionedTodo
}

const fromKind = (kind: Kind): VersionedKind => ({
  name: kind.name,
  page: (id) => `${kind.plural}/${id}`,
  fields: () => fieldsOf(kind.form()),
  shown: () => fieldsOf(kind.record()),
  read: (id) => kind.read(id),
  putBack: (now, values) => kind.update(now, values),
  notRestored: () => kind.words().notRestored,
})

const todoFields = (): readonly Field[] => {
  const { fields, filters } = wordsNow().todos
  const further = extensionOf('todo')
  return [
    { name: 'todoTitle', label: fields.todoTitle, kind: 'text' },
    {
      name: 'finished',
      label: fields.finished,
      kind: 'flag',
      texts: { true: filters.finished, false: filters.open },
    },
    ...(further ? describedFields(further) : []),
  ]
}

const versionedTodo: VersionedKind = {
  name: 'todo',
  page: () => 'todos',
  fields: todoFields,
  shown: todoFields,
  read: (id) => callSignedIn(() => todos.get(id)),
  putBack: (now, values) =>
    callSignedIn(() => todos.patch(now as Pick<Done<Todo>, 'value' | 'etag'>, values)),
  notRestored: () => undefined,
}
