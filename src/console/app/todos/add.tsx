import { useState } from 'preact/hooks'
import { type Failure, messagesByTarget } from '#console/app/api/failure.ts'
import { complain } from '#console/app/state/notes.ts'
import { useWords } from '#console/app/words/index.ts'
import { Left } from './left.tsx'

interface AddParts {
  readonly onAdd: (title: string) => Promise<Failure | undefined>
}

/** The field is empty again at once; what is refused comes back to it, with the reason. */
export const AddTodo = ({ onAdd }: AddParts) => {
  const { todos: words } = useWords()
  const [title, setTitle] = useState('')
  const [error, setError] = useState<string>()
  const add = async (event: Event) => {
    event.preventDefault()
    setTitle('')
    setError(undefined)
    const failure = await onAdd(title)
    if (!failure) return
    setTitle((typed) => typed || title)
    const message = messagesByTarget(failure).get('todoTitle')
    setError(message)
    if (!message) complain(words.failed.add(title), failure)
  }
  return (
    <form class="todo-add" onSubmit={add} noValidate>
      <div class="todo-add-row">
        <input
          class="input"
          data-search
          dir="auto"
          aria-label={words.newTitle}
          placeholder={words.newTitle}
          autocomplete="off"
          enterkeyhint="done"
          value={title}
          aria-invalid={error !== undefined}
          aria-describedby="todo-add-left todo-add-error"
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
        <button class="button button-primary" type="submit">
          {words.add}
        </button>
      </div>
      <Left id="todo-add-left" title={title} />
      <p class="field-error" id="todo-add-error" role="alert" hidden={!error}>
        {error}
      </p>
    </form>
  )
}
