import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Todo } from '#client/index.ts'
import { IconButton } from '#console/app/ui/button.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Icon } from '#console/app/ui/icon.tsx'
import { formatAgo, formatDateTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { displayText, quotedText } from '#console/app/words/visible.ts'
import { type Board, isDraft } from './board.ts'
import { Rename } from './rename.tsx'

export const TodoRow = ({ todo, board }: { todo: Todo; board: Board }) => {
  const words = useWords()
  const [isRenaming, setRenaming] = useState(false)
  const pencil = usePencil(isRenaming)
  const { todoId, todoTitle, finished, createdAt } = todo
  const title = quotedText(todoTitle, words)
  return (
    <li class={`todo ${finished ? 'todo-finished' : ''} ${isDraft(todo) ? 'todo-draft' : ''}`}>
      <button
        type="button"
        data-row
        aria-keyshortcuts="x"
        class={`ring ${finished ? 'ring-sealed' : ''}`}
        aria-label={finished ? words.todos.reopen(title) : words.todos.finish(title)}
        disabled={isDraft(todo)}
        onClick={() => void (finished ? board.reopen(todo) : board.finish(todo))}
      >
        <span aria-hidden="true">{words.todos.seal || <Icon name="check" />}</span>
      </button>
      {isRenaming ? (
        <Rename
          title={todoTitle}
          onRename={(renaming) => board.rename(todo, renaming)}
          onClose={() => setRenaming(false)}
        />
      ) : (
        <>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil next to it does the same for the keyboard */}
          <span id={todoId} class="todo-title" dir="auto" tabIndex={-1} onDblClick={() => setRenaming(true)}>
            {displayText(todoTitle, words)}
          </span>
          <time class="todo-time faint" dateTime={createdAt} title={formatDateTime(createdAt)}>
            {formatAgo(createdAt)}
          </time>
          <span class="todo-actions">
            <IconButton
              ref={pencil}
              icon="pencil"
              label={words.todos.rename(title)}
              aria-keyshortcuts="e"
              disabled={isDraft(todo)}
              onClick={() => setRenaming(true)}
            />
            <IconButton
              icon="bin"
              label={words.todos.remove(title)}
              disabled={isDraft(todo)}
              onClick={({ currentTarget, detail }) => {
                // The second click of a double click would hit the row that has moved up.
                if (detail > 1) return
                focusNext(currentTarget)
                board.remove(todo)
              }}
            />
          </span>
        </>
      )}
    </li>
  )
}

/** The pencil, which gets the focus back after a rename. */
const usePencil = (isRenaming: boolean) => {
  const pencil = useRef<HTMLButtonElement>(null)
  const wasRenaming = useRef(false)
  useLayoutEffect(() => {
    if (wasRenaming.current && !isRenaming) pencil.current?.focus()
    wasRenaming.current = isRenaming
  }, [isRenaming])
  return pencil
}

/** The todo that takes this one's place, or else the one before it, or the page title if there is none. */
const focusNext = (button: HTMLElement) => {
  const row = button.closest('li')
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('.todo-title')
  if (next instanceof HTMLElement) next.focus()
  else focusTitle()
}
