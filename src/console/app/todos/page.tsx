import { useState } from 'preact/hooks'
import { sliceSize, type TodoQuery, todoFilters, walkTodos } from '#console/app/api/todos.ts'
import { SaveView, useViews, ViewChoice } from '#console/app/records/views.tsx'
import { go, hrefTo, replace, route } from '#console/app/state/route.ts'
import { useStore, useTimePassing } from '#console/app/state/store.ts'
import { pendingLeave } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Download } from '#console/app/ui/download.tsx'
import { focusSearch } from '#console/app/ui/focus.ts'
import { Empty, Failed } from '#console/app/ui/message.tsx'
import { Page } from '#console/app/ui/page.tsx'
import { Search } from '#console/app/ui/search.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { formatNumber, useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { AddTodo } from './add.tsx'
import { maxTitleLength } from './adding.ts'
import { type Board, useBoard } from './board.ts'
import { ManyTodos } from './many.tsx'
import { TodoRow } from './row.tsx'

export const TodosPage = () => {
  const words = useWords()
  const { query } = useStore(route)
  const filter = todoFilters.find((one) => one === query.get('show')) ?? 'all'
  const sought = { filter, title: query.get('title') ?? '' }
  const [count, setCount] = useState(sliceSize)
  const board = useBoard(sought, count)
  const { counts } = board
  const views = useViews(hrefTo('todos', addressOf(sought)))
  // Shows the filter that was chosen, while its todos are still loading.
  useStore(pendingLeave)
  return (
    <Page
      title={words.pages.todos}
      subtitle={words.todos.subtitle}
      isNarrow
      actions={
        <>
          {counts && <ManyTodos query={sought} counts={counts} onChange={board.reload} />}
          <Download
            list={{
              ...{ plural: 'todos', title: words.pages.todos },
              total: counts?.[filter] ?? 0,
              walk: (signal) => walkTodos(sought, signal),
            }}
          />
        </>
      }
    >
      <AddTodo onAdd={board.add} />
      <div class="row row-wide">
        <Segments
          label={words.todos.filter}
          segments={todoFilters.map((value) => ({
            value,
            label: words.todos.filters[value],
            count: counts && formatNumber(counts[value]),
          }))}
          value={filter}
          onChoose={(value) => {
            setCount(sliceSize)
            go('todos', addressOf({ ...sought, filter: value }))
          }}
        />
        <Search
          name={sought.title}
          label={words.todos.search}
          longest={maxTitleLength}
          onSearch={(title) => replace('todos', addressOf({ filter, title }))}
        />
        <ViewChoice {...views} />
        {views.query !== '' && <SaveView {...views} />}
      </div>
      {board.failure && <Failed failure={board.failure} onRetry={board.reload} />}
      <TodoList key={filter} board={board} query={sought} />
      {board.value?.hasMore && (
        <p class="todo-more">
          <Button
            text={words.todos.more}
            isLocked={board.isLoading}
            onClick={() => setCount(count + sliceSize)}
          />
        </p>
      )}
    </Page>
  )
}

const addressOf = ({ filter, title }: TodoQuery) => ({
  show: filter === 'all' ? undefined : filter,
  title,
})

const TodoList = ({ board, query }: { board: Board; query: TodoQuery }) => {
  const words = useWords()
  useTimePassing()
  if (!board.value) return board.failure ? null : <TodoSkeleton />
  const { todos, filter, title } = board.value
  const isOther = filter !== query.filter
  if (todos.length === 0 && isOther) return board.failure ? null : <TodoSkeleton />
  if (todos.length === 0)
    return title ? (
      <Empty icon="search" title={words.todos.noHits(isolate(title))} text={words.todos.noHitsText}>
        <Button
          text={words.list.clear}
          href={hrefTo('todos', addressOf({ filter, title: '' }))}
          onClick={focusSearch}
        />
      </Empty>
    ) : (
      <Empty icon="todos" {...words.todos.none[filter]} />
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
