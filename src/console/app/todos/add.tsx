import { useState } from 'preact/hooks'
import { type Failure, type Fault, faultsByTarget } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { faultText } from '#console/app/words/fault.ts'
import { useWords } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'
import { Left } from './left.tsx'
import { missingTitle, titleOf } from './title.ts'

interface AddParts {
  readonly onAdd: (title: string) => Promise<Failure | undefined>
}

/** The field is cleared at once; a refused title returns to it, with the reason. */
export const AddTodo = ({ onAdd }: AddParts) => {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<Fault>()
  const add = async (event: Event) => {
    event.preventDefault()
    const title = titleOf(typed)
    setTyped('')
    if (title === '') return setFault(missingTitle)
    setFault(undefined)
    const failure = await onAdd(title)
    if (!failure) return
    setTyped((now) => now || title)
    const refused = faultsByTarget(failure).get('todoTitle')
    setFault(refused)
    if (!refused) notifyFailure(words.todos.failed.add(quotedText(title, words)), failure)
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
          value={typed}
          aria-invalid={fault !== undefined}
          aria-describedby="todo-add-left todo-add-error"
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setFault(undefined)
          }}
        />
        <button class="button button-primary" type="submit">
          {words.todos.add}
        </button>
      </div>
      <Left id="todo-add-left" title={titleOf(typed)} />
      <p class="field-error" id="todo-add-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
    </form>
  )
}
