import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Failure, type Fault, faultsByTarget } from '#console/app/api/failure.ts'
import type { Renaming } from '#console/app/api/todos.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { useWords } from '#console/app/words/index.ts'
import { faultText, quotedText } from '#console/app/words/visible.ts'
import { Left } from './add.tsx'
import { faultOf, titleOf } from './adding.ts'
import type { Renamed } from './board.ts'

interface RenameParts {
  readonly title: string
  readonly onRename: (renaming: Renaming) => Promise<Renamed>
  readonly onClose: () => void
}

/**
 * Enter renames, and locks the field until the service has answered; Escape cancels. A refused title stays in the field, with the
 * reason. If somebody else renamed the todo first, that title is shown, and is what the next attempt replaces.
 */
export const Rename = ({ title, onRename, onClose }: RenameParts) => {
  const words = useWords()
  const [shown, setShown] = useState(title)
  const [typed, setTyped] = useState(title)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const [isRenamedElsewhere, setRenamedElsewhere] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isMounted = useIsMounted()
  useLayoutEffect(() => field.current?.select(), [])
  useLayoutEffect(() => field.current?.form?.scrollIntoView({ block: 'nearest' }), [fault, shown])
  useUnsaved(typed !== shown)

  const rename = async () => {
    const to = titleOf(typed)
    if (isSending) return
    if (typed === shown || to === shown) return onClose()
    const known = faultOf(to)
    if (known) return setFault(known)
    setSending(true)
    const renamed = await onRename({ from: shown, to })
    setSending(false)
    if (renamed.title === to) return onClose()
    if (renamed.failure) report(renamed.failure, to)
    else if (renamed.title !== undefined) {
      setShown(renamed.title)
      setRenamedElsewhere(true)
    }
    field.current?.focus()
  }
  const report = (failure: Failure, to: string) => {
    const refused = faultsByTarget(failure).get('todoTitle')
    setFault(refused)
    if (refused && isMounted()) return
    const text = words.todos.failed.rename(quotedText(shown, words), quotedText(to, words))
    notifyFailure(text, failure, refused && faultText(refused, words))
  }
  const cancel = () => {
    if (!isSending) onClose()
  }
  return (
    <Form kind="todo-rename row" sending={{ isSending }} onSubmit={rename} onEscape={cancel}>
      <input
        ref={field}
        class="input"
        dir="auto"
        aria-label={words.todos.newName}
        aria-invalid={fault !== undefined}
        aria-describedby="todo-rename-left todo-rename-error todo-rename-elsewhere"
        readOnly={isSending}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setFault(undefined)
        }}
      />
      <Button text={words.save} kind="small primary" isSubmit isLocked={isSending} />
      <Button text={words.cancel} kind="small quiet" isLocked={isSending} onClick={cancel} />
      <Left id="todo-rename-left" title={titleOf(typed)} />
      <p class="field-error" id="todo-rename-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
      <p class="field-error" id="todo-rename-elsewhere" role="alert" hidden={!isRenamedElsewhere}>
        {isRenamedElsewhere && words.todos.renamedElsewhere(quotedText(shown, words))}
      </p>
    </Form>
  )
}
