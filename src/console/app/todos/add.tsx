import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Failure } from '#console/app/api/failure.ts'
import { useStore } from '#console/app/state/store.ts'
import { useIsMounted } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { useWords } from '#console/app/words/index.ts'
import { faultText } from '#console/app/words/visible.ts'
import { type Addition, add, lengthOf, maxTitleLength, newTodo, setTyped, titleOf } from './new-todo.ts'

export const AddTodo = ({ onAdd }: { onAdd: (addition: Addition) => Promise<Failure | undefined> }) => {
  const words = useWords()
  const { typed, fault, refused } = useStore(newTodo)
  const isShown = useIsMounted()
  const field = useRef<HTMLInputElement>(null)
  // A title that was refused for no fault of its own is selected, so that typing replaces it.
  useLayoutEffect(() => {
    if (refused && !fault && document.activeElement === field.current) field.current?.select()
  }, [refused, fault])
  return (
    <Form class="todo-add stack stack-tight" onSubmit={() => add({ send: onAdd, isShown })}>
      <div class="row">
        <input
          ref={field}
          class="input"
          data-add
          dir="auto"
          aria-label={words.todos.newTitle}
          placeholder={words.todos.newTitle}
          autocomplete="off"
          enterkeyhint="done"
          value={typed}
          aria-invalid={fault !== undefined}
          aria-describedby="todo-add-left todo-add-error"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Button text={words.todos.add} kind="primary" isSubmit />
      </div>
      <CharactersLeft id="todo-add-left" title={titleOf(typed)} />
      <p class="field-error" id="todo-add-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
    </Form>
  )
}

/** From this length of the title on, the number of characters left is shown. */
const shownFrom = 18

export const CharactersLeft = ({ id, title }: { id: string; title: string }) => {
  const { todos: words } = useWords()
  const length = lengthOf(title)
  const left = maxTitleLength - length
  return (
    <p id={id} class={`faint ${left < 0 ? 'wrong' : ''}`} hidden={length < shownFrom}>
      {left < 0 ? words.over(-left) : words.left(left)}
    </p>
  )
}
