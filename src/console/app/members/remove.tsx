import { useState } from 'preact/hooks'
import { failureOf, isConflict, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { removeMember, type ViewedMember, viewMember } from '#console/app/api/members.ts'
import { useIsMounted } from '#console/app/state/mounted.ts'
import { notify, notifyFailure } from '#console/app/state/notes.ts'
import { useSending } from '#console/app/state/sending.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { useWords } from '#console/app/words/index.ts'
import { Changes } from './changes.tsx'
import { quotedName } from './name.ts'

interface RemoveParts {
  readonly viewed: ViewedMember
  readonly onClose: () => void
  readonly onChange: () => void
  readonly onRemove: () => void
}

/**
 * Asks for confirmation, and deletes only the version that was shown: if somebody else changed it meanwhile, shows what they
 * changed, and asks again. Stays open until the service has answered.
 */
export const RemoveMember = ({ viewed, onClose, onChange, onRemove }: RemoveParts) => {
  const words = useWords()
  const [opened] = useState(viewed)
  const [shown, setShown] = useState(opened)
  const { send, isSending, failure } = useSending([])
  const isMounted = useIsMounted()
  const { memberId } = opened.member
  const name = quotedName(shown.member)
  /** False if it was changed meanwhile. */
  const isRemoved = async () => {
    try {
      await removeMember(shown)
      return true
    } catch (error) {
      if (!isMounted() || !isConflict(failureOf(error))) throw error
      setShown(await viewMember(memberId, shown.view))
      onChange()
      return false
    }
  }
  const finish = () => {
    notify(words.members.removed(name))
    onRemove()
  }
  const remove = () =>
    send(async () => {
      try {
        if (await isRemoved()) finish()
      } catch (error) {
        const reason = failureOf(error)
        // Whoever deleted it.
        if (isGone(reason)) return finish()
        if (isMounted()) throw error
        notifyFailure(words.members.failedRemove(name), reason)
      }
    })
  const close = () => isSending || onClose()
  return (
    <Dialog title={words.members.removeTitle(name)} text={words.members.removeText} onClose={close}>
      {shown !== opened && <Changes before={opened.member} now={shown.member} />}
      {failure && (
        <Failed
          failure={failure}
          what={isOutcomeUnknown(failure) ? words.members.unansweredRemove : undefined}
        />
      )}
      <div class="dialog-actions">
        <button type="button" class="button button-quiet" aria-disabled={isSending} onClick={close}>
          {words.cancel}
        </button>
        <button
          type="button"
          class="button button-danger"
          aria-disabled={isSending}
          onClick={() => void remove()}
        >
          {isSending ? words.members.removing : words.delete}
        </button>
      </div>
    </Dialog>
  )
}
