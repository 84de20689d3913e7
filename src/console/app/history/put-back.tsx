import { isConflict } from '#console/app/api/failure.ts'
import { useLoad } from '#console/app/state/load.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { nameText } from './line.tsx'
import { differences, labelOf, putBack, type Room, readNow, textOf, type Value } from './rooms.ts'
import { useHistoryWords } from './words.ts'

interface PutBackParts {
  readonly room: Room
  readonly id: string
  readonly past: Value
  readonly onClose: () => void
  readonly onChange: () => void
}

/** Shows what would change, and changes only the version that it was compared with. */
export const PutBack = ({ room, id, past: wanted, onClose, onChange }: PutBackParts) => {
  const words = useWords()
  const past = useHistoryWords()
  const now = useLoad(`now ${id}`, ({ signal }) => readNow(room, id, signal))
  const sending = useSending([])
  const { send, isSending } = sending
  const fields = now.value ? differences(room, now.value.value, wanted) : []
  const submit = async () => {
    const { value } = now
    if (!value || fields.length === 0 || !(await send(() => putBack(value, wanted)))) return
    notify(past.putBackDone(isolated(nameText({ value: wanted, isGone: false }, id, { words, past }))))
    onChange()
    onClose()
  }
  const failure = sending.failure ?? now.failure
  return (
    <Dialog
      title={past.putBackTitle}
      text={room === 'members' ? past.putBackText : past.putBackTodo}
      kind="dialog-wide"
      onClose={onClose}
    >
      <Form sending={sending} onSubmit={submit}>
        {now.value && fields.length === 0 && <p>{past.sameText}</p>}
        {now.value && fields.length > 0 && (
          <table class="versions compared">
            <thead>
              <tr>
                {[past.field, past.now, past.wanted].map((heading) => (
                  <th key={heading} scope="col">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <tr key={field}>
                  <th scope="row">{labelOf(field, words, past)}</th>
                  <td data-heading={past.now}>{now.value && textOf(now.value.value, field, words, past)}</td>
                  <td data-heading={past.wanted}>{textOf(wanted, field, words, past)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {failure && (
          <Failed failure={failure} what={isConflict(failure) ? past.changedMeanwhile : undefined} />
        )}
        <div class="actions">
          <Button text={words.cancel} kind="quiet" onClick={onClose} />
          <Button text={past.putBack} kind="primary" isSubmit isLocked={isSending || fields.length === 0} />
        </div>
      </Form>
    </Dialog>
  )
}
