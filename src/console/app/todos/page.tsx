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
import { BulkAction } from './bulk-action.tsx'
import { type TodoModel, useTodoModel } from './model.ts'
import { maxTitleLength } from './new-todo.ts'
import { TodoRow } from './row.tsx'

export const TodosPage = () => {
  const words = useWords()
  const { query } = useStore(route)
  const filter = todoFilters.find((one) => one === query.get('show')) ?? 'all'
  const todoQuery = { filter, title: query.get('title') ?? '' }
  const [count, setCount] = useState(sliceSize)
  const model = useTodoModel(todoQuery, count)
  const { counts } = model
  const views = useViews(hrefTo('todos', addressOf(todoQuery)))
  // Renders again when leaving the page is blocked, so that the radio buttons return to the filter in the address.
  useStore(pendingLeave)
  return (
    <Page
      title={words.pages.todos}
      subtitle={words.todos.subtitle}
      isNarrow
      actions={
        <>
          {counts && <BulkAction query={todoQuery} counts={counts} onChange={model.reload} />}
          <Download
            list={{
              plural: 'todos',
              title: words.pages.todos,
              total: counts?.[filter] ?? 0,
              readAll: (signal) => walkTodos(todoQuery, signal),
            }}
          />
        </>
      }
    >
      <AddTodo onAdd={model.add} />
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
            go('todos', addressOf({ ...todoQuery, filter: value }))
          }}
        />
        <Search
          text={todoQuery.title}
          label={words.todos.search}
          maxLength={maxTitleLength}
          onSearch={(title) => replace('todos', addressOf({ filter, title }))}
        />
        <ViewChoice {...views} />
        {views.query !== '' && <SaveView {...views} />}
      </div>
      {model.failure && <Failed failure={model.failure} onRetry={model.reload} />}
      <TodoList key={filter} model={model} query={todoQuery} />
      {model.value?.hasMore && (
        <p class="todo-more">
          <Button
            text={words.todos.more}
            isLocked={model.isLoading}
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

const TodoList = ({ model, query }: { model: TodoModel; query: TodoQuery }) => {
  const words = useWords()
  useTimePassing()
  if (!model.value) return model.failure ? null : <TodoSkeleton />
  const { todos, filter, title } = model.value
  const isPreviousFilter = filter !== query.filter
  if (todos.length === 0 && isPreviousFilter) return model.failure ? null : <TodoSkeleton />
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
      class={`sheet ledger ${isPreviousFilter ? 'ledger-other' : ''}`}
      aria-label={words.todos.list}
      aria-busy={model.isLoading}
    >
      {todos.map((todo) => (
        <TodoRow key={todo.todoId} todo={todo} model={model} />
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
