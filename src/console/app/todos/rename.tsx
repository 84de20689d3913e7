import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useWords } from '#console/app/words/index.ts'
import { Left } from './left.tsx'

interface RenameParts {
  readonly title: string
  /** With the new title, or nothing where it is to stay. */
  readonly onDone: (title?: string) => void
}

/** Enter renames, Escape leaves it. */
export const Rename = ({ title, onDone }: RenameParts) => {
  const { todos: words, save, cancel } = useWords()
  const [typed, setTyped] = useState(title)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  return (
    <form
      class="todo-rename"
      onSubmit={(event) => {
        event.preventDefault()
        onDone(typed)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.isComposing) onDone()
      }}
    >
      <input
        ref={field}
        class="input"
        aria-label={words.newName}
        aria-describedby="todo-rename-left"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="button button-small button-primary">
        {save}
      </button>
      <button type="button" class="button button-small button-quiet" onClick={() => onDone()}>
        {cancel}
      </button>
      <Left id="todo-rename-left" title={typed} />
    </form>
  )
}
