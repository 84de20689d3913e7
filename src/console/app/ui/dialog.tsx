import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Sending } from '#console/app/state/sending.ts'
import { useUnsaved } from '#console/app/state/unsaved.ts'
import { useWords, wholeNumberOf } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { TextField } from './fields.tsx'
import { focusTitle } from './focus.ts'
import { Form } from './form.tsx'
import { Copy, Failed } from './message.tsx'
import { PauseNotice } from './pause-notice.tsx'

export interface Question {
  readonly title: string
  readonly text: string
  /** The texts of the two buttons. */
  readonly no?: string
  readonly yes: string
  readonly kind?: 'danger' | 'primary'
  /** A number that must be typed to confirm. */
  readonly typed?: { readonly label: string; readonly number: number } | undefined
  readonly onYes: () => unknown
}

export const Confirm = (question: Question & { readonly onNo: () => void }) => {
  const { cancel } = useWords()
  const [text, setText] = useState('')
  const { title, no = cancel, yes, kind = 'danger', typed, onNo, onYes } = question
  const isLocked = typed !== undefined && wholeNumberOf(text) !== typed.number
  const buttons = (
    <div class="actions">
      <Button text={no} onClick={onNo} />
      <Button
        text={yes}
        kind={kind}
        isLocked={isLocked}
        {...(typed ? { isSubmit: true } : { onClick: onYes })}
      />
    </div>
  )
  return (
    <Dialog title={title} text={question.text} onClose={onNo}>
      {typed ? (
        <Form onSubmit={() => isLocked || onYes()}>
          <TextField label={typed.label} value={text} onType={setText} />
          {buttons}
        </Form>
      ) : (
        buttons
      )}
    </Dialog>
  )
}

/** `ask` opens a question. `question` is the dialog to render, until the question is answered. */
export const useQuestion = () => {
  const [current, ask] = useState<Question>()
  const close = () => ask(undefined)
  const answer = () => {
    close()
    current?.onYes()
  }
  return { ask, question: current && <Confirm {...current} onNo={close} onYes={answer} /> }
}

interface DialogProps {
  readonly title: string
  /** Read out together with the title. */
  readonly text?: string | undefined
  /** In a wide dialog, which may be taller than the window, the title gets the focus. */
  readonly kind?: 'dialog-wide' | 'dialog-gate'
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog, open while it is mounted. When it closes, the focus returns to the element that had it, or to the page title. */
export const Dialog = ({ title, text, kind, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = dialog
    const opener = document.activeElement
    current?.showModal()
    return () => {
      current?.close()
      if (opener instanceof HTMLElement && opener !== document.body) opener.focus()
      // The opener may be removed together with the dialog, but only after this function.
      queueMicrotask(() => document.activeElement === document.body && focusTitle())
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${kind ?? ''}`}
      aria-labelledby={id}
      aria-describedby={text && `${id}-text`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={({ currentTarget }) => {
        // Browsers close a dialog at a second Escape without asking. Opens it again, so that `onClose` decides.
        if (!currentTarget.isConnected) return
        currentTarget.showModal()
        onClose()
      }}
    >
      <div class="dialog-body stack sheet-padded">
        <h2 id={id} {...(kind === 'dialog-wide' && { tabIndex: -1, autofocus: true })}>
          {title}
        </h2>
        {text && <p id={`${id}-text`}>{text}</p>}
        {/* While a dialog is open, screen readers read nothing outside it. */}
        <PauseNotice />
        {children}
      </div>
    </dialog>
  )
}

interface FormDialogProps {
  readonly title: string
  readonly submit: string
  /** False while the form cannot be sent. */
  readonly isReady?: boolean
  readonly sending: Sending
  /** The text to show if the service did not answer, so that the change may or may not have been made. */
  readonly unansweredText: string | undefined
  readonly onSubmit: () => unknown
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A form in a dialog. The dialog stays open while the form is being sent. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, submit, isReady = true, sending, unansweredText, onSubmit, onClose, children } = props
  const { cancel } = useWords()
  const { isSending, failure } = sending
  return (
    <Dialog title={title} onClose={() => isSending || onClose()}>
      <Form sending={sending} onSubmit={onSubmit}>
        {children}
        {failure && <Failed failure={failure} text={unansweredText} />}
        <div class="actions">
          <Button text={cancel} kind="quiet" isLocked={isSending} onClick={onClose} />
          <Button text={submit} kind="primary" isSubmit isLocked={isSending || !isReady} />
        </div>
      </Form>
    </Dialog>
  )
}

type SecretProps = Readonly<Record<'title' | 'text' | 'secret' | 'label', string> & { onClose: () => void }>

/** Shows a secret once. Escape does not close the dialog, because the secret would be lost. */
export const SecretDialog = ({ title, text, secret, label, onClose }: SecretProps) => {
  const { iCopied } = useWords()
  useUnsaved(true)
  return (
    <Dialog title={title} text={text} onClose={() => {}}>
      <p class="failure-track">
        <code>{secret}</code> <Copy text={secret} label={label} />
      </p>
      <div class="actions">
        <Button text={iCopied} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}
