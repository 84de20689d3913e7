import type { ComponentChildren } from 'preact'
import type { Sending } from '#console/app/state/sending.ts'
import { useWords } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failed } from './failed.tsx'
import { Form } from './form.tsx'

interface FormDialogParts {
  readonly title: string
  /** What the button says that sends it. */
  readonly submit: string
  readonly sending: Sending
  /** What happened if it failed, if the page knows better than the service. */
  readonly what: string | undefined
  readonly onSubmit: () => unknown
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A form in a dialog, which stays open while it is being sent. */
export const FormDialog = ({
  title,
  submit,
  sending,
  what,
  onSubmit,
  onClose,
  children,
}: FormDialogParts) => {
  const { cancel } = useWords()
  const { isSending, failure } = sending
  return (
    <Dialog title={title} onClose={() => isSending || onClose()}>
      <Form sending={sending} onSubmit={onSubmit}>
        {children}
        {failure && <Failed failure={failure} what={what} />}
        <div class="actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={onClose} />
          <Button text={submit} kind="primary" isSubmit isLocked={isSending} />
        </div>
      </Form>
    </Dialog>
  )
}
