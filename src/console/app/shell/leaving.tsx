import { useStore } from '#console/app/state/store.ts'
import { pendingLeave, stay } from '#console/app/state/unsaved.ts'
import { Button } from '#console/app/ui/button.tsx'
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
        <Button text={words.stay} onClick={stay} />
        <Button text={words.leave} kind="danger" onClick={leave} />
      </div>
    </Dialog>
  )
}
