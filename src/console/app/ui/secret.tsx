import { useUnsaved } from '#console/app/state/unsaved.ts'
import { useWords } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Copy } from './failed.tsx'

type SecretParts = Readonly<Record<'title' | 'text' | 'secret' | 'what', string> & { onClose: () => void }>

/** Shows a secret once. Escape does not close it: what it shows would be lost. */
export const Secret = ({ title, text, secret, what, onClose }: SecretParts) => {
  const { iCopied } = useWords()
  useUnsaved(true)
  return (
    <Dialog title={title} text={text} onClose={() => {}}>
      <p class="failure-track">
        <code>{secret}</code> <Copy text={secret} what={what} />
      </p>
      <div class="actions">
        <Button text={iCopied} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}
