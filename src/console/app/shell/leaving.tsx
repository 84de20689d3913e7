import { useStore } from '#console/app/state/store.ts'
import { pendingLeave, stay } from '#console/app/state/unsaved.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { useWords } from '#console/app/words/index.ts'

/** Asks for confirmation before leaving unsaved input. */
export const Leaving = () => {
  const { leaving: words } = useWords()
  const leave = useStore(pendingLeave)
  if (!leave) return null
  return (
    <Dialog title={words.title} text={words.text} onClose={stay}>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={stay}>
          {words.stay}
        </button>
        <button type="button" class="button button-danger" onClick={leave}>
          {words.leave}
        </button>
      </div>
    </Dialog>
  )
}
