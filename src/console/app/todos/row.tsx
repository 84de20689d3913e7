import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Todo } from '#client/index.ts'
import { resourceAt } from '#console/app/api/declared.ts'
import { type Failure, type Fault, faultsByTarget } from '#console/app/api/failure.ts'
import type { Renaming } from '#console/app/api/todos.ts'
import { describedFields } from '#console/app/records/described.ts'
import { Value } from '#console/app/records/value.tsx'
import { notifyFailure } from '#console/app/state/notes.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { focusTitle } from '#console/app/ui/focus.ts'
import { Form } from '#console/app/ui/form.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { formatAgo, formatDateTime, useWords } from '#console/app/words/index.ts'
import { faultText, quotedText, textOrEmptyMark } from '#console/app/words/visible.ts'
import { valueAt } from '#core/csv.ts'
import { CharactersLeft } from './add.tsx'
import { isDraft, type RenameResult, type TodoModel } from './model.ts'
import { faultOf, titleOf } from './new-todo.ts'

export const TodoRow = ({ todo, model }: { todo: Todo; model: TodoModel }) => {
  const words = useWords()
  const [isRenaming, setRenaming] = useState(false)
  const pencil = useFocusAfterRename(isRenaming)
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
        onClick={() => void model.setFinished(todo, !finished)}
      >
        <span aria-hidden="true">{words.todos.seal || <Icon name="check" />}</span>
      </button>
      {isRenaming ? (
        <Rename
          title={todoTitle}
          onRename={(renaming) => model.rename(todo, renaming)}
          onClose={() => setRenaming(false)}
        />
      ) : (
        <>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the pencil next to it does the same for the keyboard */}
          <span id={todoId} class="todo-title" dir="auto" tabIndex={-1} onDblClick={() => setRenaming(true)}>
            {textOrEmptyMark(todoTitle, words)}
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
                // The second click of a double click would hit the row that has moved up, so it is ignored.
                if (detail > 1) return
                focusNext(currentTarget)
                model.remove(todo)
              }}
            />
          </span>
          {!isDraft(todo) && <AddedFields todo={todo} />}
        </>
      )}
    </li>
  )
}

/** The fields that the operator has added to todos, and a link to the page on which they can be changed. */
const AddedFields = ({ todo }: { todo: Todo }) => {
  const { members } = useWords()
  const resource = resourceAt('todos')
  const fields = resource ? describedFields(resource).filter(({ name }) => !ownFields.includes(name)) : []
  if (fields.length === 0) return null
  return (
    <p class="todo-added faint">
      {fields
        .filter(({ name }) => (valueAt(todo, name) ?? null) !== null)
        .map((field) => (
          <span key={field.name}>
            {field.label}: <Value field={field} item={todo} />
          </span>
        ))}
      <a class="reach" href={hrefTo(`todos/${todo.todoId}`)}>
        {members.sections.further}
      </a>
    </p>
  )
}

const ownFields: readonly string[] = ['todoTitle', 'finished']

/** A ref for the rename button, which gets the focus back after a rename. */
const useFocusAfterRename = (isRenaming: boolean) => {
  const pencil = useRef<HTMLButtonElement>(null)
  const wasRenaming = useRef(false)
  useLayoutEffect(() => {
    if (wasRenaming.current && !isRenaming) pencil.current?.focus()
    wasRenaming.current = isRenaming
  }, [isRenaming])
  return pencil
}

/** Moves the focus to the next todo, or else to the previous todo, or else to the page title. */
const focusNext = (button: HTMLElement) => {
  const row = button.closest('li')
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('.todo-title')
  if (next instanceof HTMLElement) next.focus()
  else focusTitle()
}

interface RenameProps {
  readonly title: string
  readonly onRename: (renaming: Renaming) => Promise<RenameResult>
  readonly onClose: () => void
}

/**
 * An input for a new title. Enter saves the title and locks the field until the service has answered. Escape cancels. A refused
 * title stays in the field, with the reason. If somebody else renamed the todo first, their title is shown, and saving again
 * replaces it.
 */
const Rename = ({ title, onRename, onClose }: RenameProps) => {
  const words = useWords()
  const [shown, setShown] = useState(title)
  const [typed, setTyped] = useState(title)
  const [isSending, setSending] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const [isRenamedElsewhere, setRenamedElsewhere] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // An input of one line would join the lines of a title.
  const Input = /[\r\n]/.test(title) ? ('textarea' as 'input') : 'input'
  const isMounted = useIsMounted()
  useLayoutEffect(() => field.current?.select(), [])
  useLayoutEffect(() => field.current?.form?.scrollIntoView({ block: 'nearest' }), [fault, shown])
  useUnsaved(typed !== shown)

  const rename = async () => {
    const to = titleOf(typed)
    if (isSending) return
    if (typed === shown || to === shown) return onClose()
    const fault = faultOf(to)
    if (fault) return setFault(fault)
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
    <Form class="todo-rename row" sending={{ isSending }} onSubmit={rename} onEscape={cancel}>
      <Input
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
      <CharactersLeft id="todo-rename-left" title={titleOf(typed)} />
      <p class="field-error" id="todo-rename-error" role="alert" hidden={!fault}>
        {fault && faultText(fault, words)}
      </p>
      <p class="field-error" id="todo-rename-elsewhere" role="alert" hidden={!isRenamedElsewhere}>
        {isRenamedElsewhere && words.todos.renamedElsewhere(quotedText(shown, words))}
      </p>
    </Form>
  )
}
