import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Failure, type Fault, faultsByTarget } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { faultText } from '#console/app/words/fault.ts'
import { useWords } from '#console/app/words/index.ts'
import { quotedText } from '#console/app/words/visible.ts'
import { Left } from './left.tsx'
import { faultOf, titleOf } from './title.ts'

interface RenameParts {
  readonly title: string
  readonly onRename: (title: string) => Promise<Failure | undefined>
  readonly onClose: () => void
}

/** Enter renames, Escape cancels. A refused title stays in the field, with the reason. */
export const Rename = ({ title, onRename, onClose }: RenameParts) => {
  const words = useWords()
  const [typed, setTyped] = useState(title)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.select(), [])
  const rename = async (event: Event) => {
    event.preventDefault()
    const wanted = titleOf(typed)
    if (typed === title || wanted === title) return onClose()
    if (isSending) return
    const known = faultOf(wanted)
    if (known) return setFault(known)
    setSending(true)
    const failure = await onRename(wanted)
    setSending(false)
    if (!failure) return onClose()
    const refused = faultsByTarget(failure).get('todoTitle')
    setFault(refused)
    if (!refused) notifyFailure(words.todos.failed.rename(quotedText(title, words)), failure)
    field.current?.focus()
  }
  return (
    <form
      class="todo-rename"
      noValidate
      onSubmit={rename}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.isComposing) onClose()
      }}
    >
      <input
        ref={field}
        class="input"
        dir="auto"
        aria-label={words.todos.newName}
        aria-invalid={fault !== undefined}
        aria-describedby="todo-rename-left todo-rename-error"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setFault(undefined)
        }}
      />
      <button type="submit" class="button button-small button-primary" aria-disabled={isSending}>
        {words.save}
      </button>
      <button type="button" class="button button-small button-quiet" onClick={onClose}>
        {words.cancel}
      </button>
      <Left id="todo-rename-left" title={titleOf(typed)} />
      <p class="field-error" id="todo-rename-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
    </form>
  )
}
