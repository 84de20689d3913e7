import { useState } from 'preact/hooks'
import { type Failure, type Fault, faultsByTarget } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { faultText } from '#console/app/words/fault.ts'
import { useWords } from '#console/app/words/index.ts'
import { Left } from './left.tsx'

interface AddParts {
  readonly onAdd: (title: string) => Promise<Failure | undefined>
}

/** The field is cleared at once; a refused title returns to it, with the reason. */
export const AddTodo = ({ onAdd }: AddParts) => {
  const words = useWords()
  const [title, setTitle] = useState('')
  const [fault, setFault] = useState<Fault>()
  const add = async (event: Event) => {
    event.preventDefault()
    setTitle('')
    setFault(undefined)
    const failure = await onAdd(title)
    if (!failure) return
    setTitle((typed) => typed || title)
    const refused = faultsByTarget(failure).get('todoTitle')
    setFault(refused)
    if (!refused) notifyFailure(words.todos.failed.add(title), failure)
  }
  return (
    <form class="todo-add" onSubmit={add} noValidate>
      <div class="todo-add-row">
        <input
          class="input"
          data-search
          dir="auto"
          aria-label={words.todos.newTitle}
          placeholder={words.todos.newTitle}
          autocomplete="off"
          enterkeyhint="done"
          value={title}
          aria-invalid={fault !== undefined}
          aria-describedby="todo-add-left todo-add-error"
          onInput={(event) => {
            setTitle(event.currentTarget.value)
            setFault(undefined)
          }}
        />
        <button class="button button-primary" type="submit">
          {words.todos.add}
        </button>
      </div>
      <Left id="todo-add-left" title={title} />
      <p class="field-error" id="todo-add-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
    </form>
  )
}
