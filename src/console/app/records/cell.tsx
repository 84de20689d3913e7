import type { TargetedFocusEvent } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { failureOf } from '#console/app/api/failure.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { useIsMounted, useUnsaved } from '#console/app/state/unsaved.ts'
import { Form } from '#console/app/ui/form.tsx'
import { reasonOf } from '#console/app/ui/message.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { Conflict } from './conflict.tsx'
import { draftOf } from './draft.ts'
import { Control } from './form.tsx'
import { type Field, failureText, fieldsOf, type Kind, type VersionedItem } from './kind.ts'
import { notifySaved, saveMerged } from './saving.ts'

/** The cell to edit next. After `end`, the row gets the focus. After `stay`, the focus stays where the user put it. */
export type Move = 'next' | 'previous' | 'end' | 'stay'

export interface CellProps {
  readonly kind: Kind
  readonly item: object
  readonly field: Field
  readonly onSaved: (saved: object) => void
  readonly onLeave: (move: Move) => void
}

/** An input for one cell of a table. Enter and Tab save the value, Escape leaves it as it was. */
export const CellEdit = ({ kind, item, field, onSaved, ...props }: CellProps) => {
  const words = useWords()
  const fields = fieldsOf(kind.form())
  const [base, setBase] = useState(item)
  const [typed, setTyped] = useState(() => draftOf([field], item)[field.name] ?? '')
  const [stored, setStored] = useState<VersionedItem>()
  const sending = useSending([field.name])
  const { send, isSending, errors, failure } = sending
  const cell = useRef<HTMLDivElement>(null)
  /** Set when a key ends the editing, so that the loss of focus does not save the value again. */
  const hasLeft = useRef(false)
  const onLeave = (move: Move) => {
    hasLeft.current = true
    props.onLeave(move)
  }
  const before = draftOf(fields, base)
  const isChanged = typed !== before[field.name]
  useUnsaved(isChanged)
  useLayoutEffect(() => {
    const input = cell.current?.querySelector<HTMLElement>('input:checked, input, select, textarea')
    input?.focus()
    if (input instanceof HTMLInputElement && input.type !== 'radio') input.select()
  }, [])
  const name = isolate(kind.titleOf(item))
  const isMounted = useIsMounted()
  const save = async (move: Move, text = typed, from = base, known?: VersionedItem) => {
    if (text === draftOf(fields, from)[field.name]) return onLeave(move)
    await send(async () => {
      try {
        const mine = { ...draftOf(fields, from), [field.name]: text }
        const outcome = await saveMerged(kind, { base: from, mine }, known)
        if ('value' in outcome && isMounted()) return setStored(outcome)
        if ('value' in outcome) throw new Error(words.bulk.changed)
        notifySaved(kind, outcome, onSaved)
        onSaved(outcome.saved)
        onLeave(move)
      } catch (error) {
        if (isMounted()) throw error
        notifyFailure(words.form.notSaved(field.label, name), failureOf(error))
      }
    })
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.isComposing || stored) return
    if (event.key === 'Escape') onLeave('end')
    else if (event.key === 'Tab') void save(event.shiftKey ? 'previous' : 'next')
    else if (event.key === 'Enter' && event.target instanceof HTMLSelectElement) void save('end')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  /** A click outside the cell saves the value, as Enter does. */
  const saveOnLeave = ({ relatedTarget, currentTarget }: TargetedFocusEvent<HTMLElement>) => {
    if (hasLeft.current || stored || isSending || currentTarget.contains(relatedTarget as Node | null)) return
    if (document.hasFocus()) void save('stay')
  }
  const message =
    failure && (failureText(kind, failure, words.form.unansweredSave) ?? reasonOf(failure, words))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field inside
    <div ref={cell} class="cell-edit" onKeyDown={handleKey} onFocusOut={saveOnLeave}>
      <Form class="cell-form" sending={sending} onSubmit={() => save('end')}>
        <Control
          field={field}
          value={typed}
          error={errors.get(field.name) ?? message}
          isLocked={isSending}
          isInTable
          onType={(text) => {
            sending.clearFault(field.name)
            setTyped(text)
          }}
        />
      </Form>
      {stored && (
        <Conflict
          key={stored.etag}
          fields={fields}
          base={before}
          mine={{ ...before, [field.name]: typed }}
          stored={stored.value}
          onKeep={(merged) => {
            setStored(undefined)
            setBase(stored.value)
            setTyped(merged[field.name] ?? '')
            void save('end', merged[field.name], stored.value, stored)
          }}
          onDiscard={() => onLeave('end')}
          onClose={() => setStored(undefined)}
        />
      )}
    </div>
  )
}
