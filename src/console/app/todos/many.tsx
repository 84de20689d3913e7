import { useState } from 'preact/hooks'
import type { Todo } from '#client/index.ts'
import { pathOf, type Task } from '#console/app/api/batch.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { type TodoCounts, type TodoQuery, walkTodos } from '#console/app/api/todos.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { removed } from '#console/app/state/removing.ts'
import { Button } from '#console/app/ui/button.tsx'
import { changeMany, removeMany } from '#console/app/ui/many.ts'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'

interface ManyParts {
  readonly query: TodoQuery
  readonly counts: TodoCounts
  readonly onChange: () => void
}

/** Finishes all open todos that are found, where only these are shown; elsewhere, deletes the finished ones. */
export const Many = ({ query: { filter, title }, counts, onChange }: ManyParts) => {
  const { many: words } = useWords()
  const [isBusy, setBusy] = useState(false)
  const concerned = filter === 'open' ? 'open' : 'finished'
  if (counts[concerned] === 0) return null
  const run = async () => {
    setBusy(true)
    try {
      const todos = await readAll({ filter: concerned, title })
      if (concerned === 'finished') clear(todos)
      else await finish(todos, onChange)
    } catch (error) {
      notifyFailure(wordsNow().many.unread, failureOf(error))
    }
    setBusy(false)
  }
  return (
    <Button
      icon={filter === 'open' ? 'check' : 'bin'}
      text={words[filter === 'open' ? 'finish' : 'clear']}
      isLocked={isBusy}
      onClick={run}
    />
  )
}

/** Without those that were deleted here a moment ago. */
const readAll = async (query: TodoQuery) => {
  const todos: Todo[] = []
  for await (const page of walkTodos(query)) todos.push(...page)
  return todos.filter(({ todoId }) => !removed.get().has(todoId))
}

const clear = (todos: readonly Todo[]) =>
  removeMany(tasksOf(todos, { method: 'DELETE' }), {
    done: (count) => wordsNow().many.todosRemoved(count),
    undone: (count) => wordsNow().many.todosRestored(count),
    failed: (...failed) => wordsNow().many.notRemoved(...failed),
  })

const finish = async (todos: readonly Todo[], onChange: () => void) => {
  const said = { failed: wordsNow().many.notFinished }
  const finished = await changeMany(tasksOf(todos, { method: 'PUT' }), said)
  onChange()
  const [first] = finished
  if (!first) return
  const reopen = async () => {
    const reopened = todos.filter(({ todoId }) => finished.some(({ id }) => id === todoId))
    const { many } = wordsNow()
    const done = await changeMany(tasksOf(reopened, { method: 'PATCH', body: { finished: false } }), {
      failed: many.notReopened,
    })
    onChange()
    if (done.length > 0) notify(many.todosReopened(done.length))
  }
  notify(wordsNow().many.todosFinished(finished.length), { undo: () => void reopen(), about: first.id })
}

const tasksOf = (todos: readonly Todo[], change: Omit<Task['operation'], 'path'>): readonly Task[] =>
  todos.map(({ todoId, todoTitle }) => ({
    id: todoId,
    name: quotedText(todoTitle, wordsNow()),
    operation: { ...change, path: pathOf('todos', todoId) },
  }))
