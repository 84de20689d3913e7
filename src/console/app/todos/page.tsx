import { useState } from 'preact/hooks'
import { stretchSize, type TodoFilter, todoFilters, walkTodos } from '#console/app/api/todos.ts'
import { go, route } from '#console/app/state/route.ts'
import { useStore, useTimePassing } from '#console/app/state/store.ts'
import { pendingLeave } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Download } from '#console/app/ui/download.tsx'
import { Empty } from '#console/app/ui/empty.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { AddTodo } from './add.tsx'
import { type Board, useBoard } from './board.ts'
import { TodoRow } from './row.tsx'

export const TodosPage = () => {
  const words = useWords()
  const { query } = useStore(route)
  const filter = todoFilters.find((one) => one === query.get('show')) ?? 'all'
  const [count, setCount] = useState(stretchSize)
  const board = useBoard(filter, count)
  // A filter that is not left for is not selected.
  useStore(pendingLeave)
  return (
    <Page title={words.pages.todos} subtitle={words.todos.subtitle} isNarrow>
      <AddTodo onAdd={board.add} />
      <div class="row row-wide">
        <Segments
          label={words.todos.filter}
          segments={todoFilters.map((value) => ({ value, label: words.todos.filters[value] }))}
          value={filter}
          onChoose={(value) => {
            setCount(stretchSize)
            go('todos', { show: value === 'all' ? undefined : value })
          }}
        />
        <Download
          what="todos"
          walk={(signal) => walkTodos(filter, signal)}
          isEmpty={!board.value?.todos.length}
        />
      </div>
      {board.failure && <Failed failure={board.failure} onRetry={board.reload} />}
      <TodoList key={filter} board={board} filter={filter} />
      {board.value?.hasMore && (
        <p class="todo-more">
          <Button
            text={words.todos.more}
            isLocked={board.isLoading}
            onClick={() => setCount(count + stretchSize)}
          />
        </p>
      )}
    </Page>
  )
}

const TodoList = ({ board, filter }: { board: Board; filter: TodoFilter }) => {
  const words = useWords()
  useTimePassing()
  if (!board.value) return board.failure ? null : <TodoSkeleton />
  const { todos } = board.value
  const isOther = board.value.filter !== filter
  if (todos.length === 0 && isOther) return board.failure ? null : <TodoSkeleton />
  if (todos.length === 0)
    return (
      <div class="sheet">
        <Empty icon="todos" {...words.todos.none[filter]} />
      </div>
    )
  return (
    <ul
      class={`sheet ledger ${isOther ? 'ledger-other' : ''}`}
      aria-label={words.todos.list}
      aria-busy={board.isLoading}
    >
      {todos.map((todo) => (
        <TodoRow key={todo.todoId} todo={todo} board={board} />
      ))}
    </ul>
  )
}

const TodoSkeleton = () => (
  <ul class="sheet ledger" aria-hidden="true">
    {[9, 14, 11, 7].map((width) => (
      <li class="todo" key={width}>
        <span class="ring" />
        <span class="skeleton" />
      </li>
    ))}
  </ul>
)
