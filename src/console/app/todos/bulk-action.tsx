import type { Todo } from '#client/index.ts'
import { type DoneTask, recordPathOf, sendEach, type Task } from '#console/app/api/batch.ts'
import { type TodoCounts, type TodoQuery, walkTodos } from '#console/app/api/todos.ts'
import { notify } from '#console/app/state/notes.ts'
import { removedIds } from '#console/app/state/removal.ts'
import { removalQuestion, removeMany, restoreMany, sendMany, useWholeList } from '#console/app/ui/bulk.ts'
import { Button } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'

interface BulkActionProps {
  readonly query: TodoQuery
  readonly counts: TodoCounts
  readonly onChange: () => void
}

/** A button. In the list of open todos, it finishes all todos. In the other lists, it deletes the finished todos. */
export const BulkAction = ({ query, counts, onChange }: BulkActionProps) => {
  const { bulk: words } = useWords()
  const { ask, question } = useQuestion()
  const filter = query.filter === 'open' ? 'open' : 'finished'
  const remove = (todos: readonly Todo[]) => {
    const tasks = tasksOf(todos)
    const bulkImport = { plural: 'todos', existing: 'delete' } as const
    const onYes = () => void removeMany(tasks, { addAgain: () => addAgain(todos), bulkImport })
    ask(removalQuestion(tasks, { title: words.ask(todos.length), onYes }))
  }
  const buttonProps = useWholeList(
    (signal) => walkTodos({ ...query, filter }, signal),
    (todos) => {
      const found = todos.filter(({ todoId }) => !removedIds.get().has(todoId))
      return filter === 'open' ? finish(found, onChange) : remove(found)
    },
  )
  if (counts[filter] === 0 && !question) return null
  return (
    <>
      <Button
        {...(filter === 'open' ? { icon: 'check', text: words.finish } : { icon: 'bin', text: words.clear })}
        {...buttonProps}
      />
      {question}
    </>
  )
}

const finish = async (todos: readonly Todo[], onChange: () => void) => {
  const bulkImport = { plural: 'todos', existing: 'change', values: { finished: true } } as const
  const finished = (await sendMany(tasksOf(todos, { method: 'PUT' }), 'finish', bulkImport)) ?? []
  onChange()
  const [first] = finished
  const undo = async () => {
    const change = { method: 'PATCH', body: { finished: false } } as const
    const tasks = finished.map(({ response: _, ...task }) => ({
      ...task,
      operation: { ...task.operation, ...change },
    }))
    const reopened = (await sendMany(tasks, 'reopen')) ?? []
    onChange()
    if (reopened.length > 0) notify(wordsNow().bulk.reopened(reopened.length))
  }
  if (first) notify(wordsNow().bulk.finished(finished.length), { undo, focusId: first.id })
}

const tasksOf = (
  todos: readonly Todo[],
  change: Pick<Task['operation'], 'method'> = { method: 'DELETE' },
): readonly Task[] =>
  todos.map(({ todoId, todoTitle }) => ({
    id: todoId,
    name: quotedText(todoTitle, wordsNow()),
    operation: { ...change, path: recordPathOf('todos', todoId) },
    row: { todoId },
  }))

export const restoreTodos = (todos: readonly Todo[]) =>
  restoreMany(tasksOf(todos), { addAgain: () => addAgain(todos) })

/** Adds the todos again, for users who may not restore, and finishes those that were finished. */
const addAgain = async (todos: readonly Todo[]): Promise<readonly Task[]> => {
  const creation = { method: 'POST', path: '/api/v1/todos' } as const
  const { done } = await sendEach(
    tasksOf(todos).map((task, at) => ({ ...task, operation: { ...creation, body: { ...todos[at] } } })),
  )
  const finished = done.filter(({ id }) => todos.some((todo) => todo.todoId === id && todo.finished))
  await sendEach(finished.map((task) => ({ ...task, operation: { method: 'PUT', path: addedPath(task) } })))
  return done
}

const addedPath = ({ response }: DoneTask) =>
  recordPathOf('todos', String((response.body as { todoId: string }).todoId))
