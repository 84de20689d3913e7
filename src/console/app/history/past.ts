import type { Done, Todo } from '#client/index.ts'
import { ask, todos } from '#console/app/api/ask.ts'
import { declared } from '#console/app/api/declared.ts'
import { declaredKind } from '#console/app/declared/kind.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { type Field, fieldsOf, valueAt } from '#console/app/records/field.ts'
import type { Kind, KnownItem } from '#console/app/records/kind.ts'
import { go } from '#console/app/state/route.ts'
import { wordsNow } from '#console/app/words/index.ts'

/** A kind of record whose versions are shown and put back. */
export interface Past {
  readonly name: string
  /** The page of a record that is there. */
  readonly page: (id: string) => string
  /** What can be put back, in the order of the page. */
  readonly fields: () => readonly Field[]
  /** All that is shown of a version. */
  readonly shown: () => readonly Field[]
  /** The record as it is now. Exactly that version is changed then. */
  readonly read: (id: string) => Promise<Done<object>>
  readonly putBack: (now: KnownItem, values: object) => Promise<unknown>
  readonly createAgain: (past: object, version: number) => unknown
}

/** By the place of a page, such as `members`. */
export const pastOf = (plural: string): Past => {
  if (plural === 'members') return ofKind(memberKind)
  const resource = declared.get()?.find((one) => one.plural === plural)
  return resource ? ofKind(declaredKind(resource)) : todoPast
}

/** The form opens with the version: a member also needs a new password. */
const ofKind = (kind: Kind): Past => ({
  name: kind.name,
  page: (id) => `${kind.plural}/${id}`,
  fields: () => fieldsOf(kind.form()),
  shown: () => fieldsOf(kind.record()),
  read: (id) => kind.read(id),
  putBack: (now, values) => kind.update(now, values),
  createAgain: (past, version) =>
    go(`${kind.plural}/new`, { from: kind.idOf(past), version: String(version) }),
})

const todoFields = (): readonly Field[] => {
  const { fields, filters } = wordsNow().todos
  return [
    { name: 'todoTitle', label: fields.todoTitle, kind: 'text' },
    {
      name: 'finished',
      label: fields.finished,
      kind: 'flag',
      texts: { true: filters.finished, false: filters.open },
    },
  ]
}

const todoPast: Past = {
  name: 'todo',
  page: () => 'todos',
  fields: todoFields,
  shown: todoFields,
  read: (id) => ask(() => todos.get(id)),
  putBack: (now, values) => ask(() => todos.patch(now as Pick<Done<Todo>, 'value' | 'etag'>, values)),
  async createAgain(past) {
    const { todoTitle, finished } = past as Todo
    const { todoId } = (await ask(() => todos.create({ todoTitle }))).value
    if (finished) await ask(() => todos.finish(todoId))
    go(`todos/${todoId}/history`)
  },
}

/** The fields in which two versions differ. */
export const differences = (fields: readonly Field[], one: object, other: object) =>
  fields.filter(({ name }) => valueAt(one, name) !== valueAt(other, name))
