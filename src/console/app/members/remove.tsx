import type { MemberView } from '#client/index.ts'
import { failureOf } from '#console/app/api/failure.ts'
import { removeMember } from '#console/app/api/members.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { useWords } from '#console/app/words/index.ts'
import { quotedName } from './name.ts'

interface RemoveParts {
  readonly member: MemberView
  readonly onClose: () => void
  readonly onRemove: () => void
}

/** Asks for confirmation. If the deletion is refused, shows the reason, and the record stays. */
export const RemoveMember = ({ member, onClose, onRemove }: RemoveParts) => {
  const words = useWords()
  const name = quotedName(member)
  const remove = async () => {
    onClose()
    try {
      await removeMember(member.memberId)
      notify(words.members.removed(name))
      onRemove()
    } catch (error) {
      notifyFailure(words.members.failedRemove(name), failureOf(error))
    }
  }
  return (
    <Dialog title={words.members.removeTitle(name)} text={words.members.removeText} onClose={onClose}>
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" class="button button-danger" onClick={() => void remove()}>
          {words.delete}
        </button>
      </div>
    </Dialog>
  )
}
