import { forgetNames } from '#console/app/api/changes.ts'
import { isGone } from '#console/app/api/failure.ts'
import { eraseMember } from '#console/app/api/members.ts'
import { notify } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { useWords } from '#console/app/words/index.ts'
import { useHistoryWords } from './words.ts'

interface EraseParts {
  readonly memberId: string
  readonly name: string
  readonly onClose: () => void
  readonly onErased: () => void
}

export const Erase = ({ memberId, name, onClose, onErased }: EraseParts) => {
  const words = useWords()
  const past = useHistoryWords()
  const { send, isSending, refusal } = useSending([])
  const erase = async () => {
    if (!(await send(() => eraseMember(memberId)))) return
    forgetNames()
    notify(past.eraseDone)
    onErased()
    onClose()
  }
  return (
    <Dialog title={past.eraseTitle(name)} text={past.eraseText} onClose={onClose}>
      {refusal && <Failed failure={refusal} what={isGone(refusal) ? past.nothingKept : undefined} />}
      <div class="actions">
        <Button text={words.cancel} isLocked={isSending} onClick={onClose} />
        <Button text={past.erase} kind="danger" isLocked={isSending} onClick={erase} />
      </div>
    </Dialog>
  )
}
