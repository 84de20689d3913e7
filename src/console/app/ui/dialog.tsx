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
import { Waiting } from './waiting.tsx'

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

/** Asks before data is lost. */
export const Confirm = (question: Question & { readonly onNo: () => void }) => {
  const { cancel } = useWords()
  const [text, setText] = useState('')
  const { title, no = cancel, yes, kind = 'danger', typed, onNo, onYes } = question
  const isLocked = typed !== undefined && wholeNumberOf(text) !== typed.number
  const buttons = (
    <div class="actions">
      <Button text={no} onClick={onNo} />
      <Button {...{ text: yes, kind, isLocked }} {...(typed ? { isSubmit: true } : { onClick: onYes })} />
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

/** `ask` opens a question. `question` renders it until it is answered. */
export const useQuestion = () => {
  const [asked, ask] = useState<Question>()
  const close = () => ask(undefined)
  const answer = () => {
    close()
    asked?.onYes()
  }
  return { ask, question: asked && <Confirm {...asked} onNo={close} onYes={answer} /> }
}

interface DialogParts {
  readonly title: string
  /** Read out together with the title. */
  readonly text?: string | undefined
  /** In a wide dialog, which may be taller than the window, the title gets the focus. */
  readonly kind?: 'dialog-wide' | 'dialog-gate'
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Open while mounted. The browser keeps the focus inside. On closing, the focus returns to where it was, or to the page title. */
export const Dialog = ({ title, text, kind, onClose, children }: DialogParts) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = dialog
    const before = document.activeElement
    current?.showModal()
    return () => {
      current?.close()
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus()
      else focusTitle()
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
        // Browsers close a dialog at a second Escape without asking. Only we decide whether it is open.
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
        {/* Outside a dialog, nothing is read out while it is open. */}
        <Waiting />
        {children}
      </div>
    </dialog>
  )
}

interface FormDialogParts {
  readonly title: string
  readonly submit: string
  /** Whether the form can be sent. */
  readonly isReady?: boolean
  readonly sending: Sending
  /** The text to show if the service gave no answer, so that nobody knows whether the change was made. */
  readonly unansweredText: string | undefined
  readonly onSubmit: () => unknown
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A form in a dialog, which stays open while it is being sent. */
export const FormDialog = (parts: FormDialogParts) => {
  const { title, submit, isReady = true, sending, unansweredText, onSubmit, onClose, children } = parts
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

type SecretParts = Readonly<Record<'title' | 'text' | 'secret' | 'label', string> & { onClose: () => void }>

/** Shows a secret once. Escape does not close the dialog, because the secret would be lost. */
export const Secret = ({ title, text, secret, label, onClose }: SecretParts) => {
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
