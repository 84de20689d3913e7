import type { Todo } from '#client/index.ts'
import { pathOf, type Task } from '#console/app/api/batch.ts'
import { type TodoCounts, type TodoQuery, walkTodos } from '#console/app/api/todos.ts'
import { notify } from '#console/app/state/notes.ts'
import { removed } from '#console/app/state/removing.ts'
import { Button } from '#console/app/ui/button.tsx'
import { changeMany, removeMany, useAll } from '#console/app/ui/many.ts'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'

interface ManyParts {
  readonly query: TodoQuery
  readonly counts: TodoCounts
  readonly onChange: () => void
}

/** Finishes all open todos that are found, where only these are shown; elsewhere, deletes the finished ones. */
export const Many = ({ query, counts, onChange }: ManyParts) => {
  const { many: words } = useWords()
  const filter = query.filter === 'open' ? 'open' : 'finished'
  const all = useAll(
    (signal) => walkTodos({ ...query, filter }, signal),
    (todos) => {
      const found = todos.filter(({ todoId }) => !removed.get().has(todoId))
      return filter === 'open' ? finish(found, onChange) : removeMany(tasksOf(found, { method: 'DELETE' }))
    },
  )
  if (counts[filter] === 0) return null
  return (
    <Button
      {...(filter === 'open' ? { icon: 'check', text: words.finish } : { icon: 'bin', text: words.clear })}
      {...all}
    />
  )
}

const finish = async (todos: readonly Todo[], onChange: () => void) => {
  const finished = await changeMany(tasksOf(todos, { method: 'PUT' }), 'finish')
  onChange()
  const [first] = finished
  const undo = async () => {
    const ids = new Set(finished.map(({ id }) => id))
    const change = { method: 'PATCH', body: { finished: false } } as const
    const reopened = await changeMany(
      tasksOf(
        todos.filter(({ todoId }) => ids.has(todoId)),
        change,
      ),
      'reopen',
    )
    onChange()
    if (reopened.length > 0) notify(wordsNow().many.reopened(reopened.length))
  }
  if (first) notify(wordsNow().many.finished(finished.length), { undo: () => void undo(), about: first.id })
}

const tasksOf = (todos: readonly Todo[], change: Omit<Task['operation'], 'path'>): readonly Task[] =>
  todos.map(({ todoId, todoTitle }) => ({
    id: todoId,
    name: quotedText(todoTitle, wordsNow()),
    operation: { ...change, path: pathOf('todos', todoId) },
  }))
