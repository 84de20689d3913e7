import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useWords } from '#console/app/words/index.ts'
import { Button } from './button.tsx'
import { focusTitle } from './focus.ts'
import { Waiting } from './waiting.tsx'

interface Question {
  readonly title: string
  readonly text: string
  /** What the two buttons say. */
  readonly no?: string
  readonly yes: string
  readonly kind?: 'danger' | 'primary'
  readonly onYes: () => unknown
}

/** Asks before something is lost. */
export const Confirm = (question: Question & { readonly onNo: () => void }) => {
  const { cancel } = useWords()
  const { title, text, no = cancel, yes, kind = 'danger', onNo, onYes } = question
  return (
    <Dialog title={title} text={text} onClose={onNo}>
      <div class="actions">
        <Button text={no} onClick={onNo} />
        <Button text={yes} kind={kind} onClick={onYes} />
      </div>
    </Dialog>
  )
}

/** `ask` opens a question, which `question` renders until it is answered. */
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
  readonly text?: string
  /** A wide dialog may be taller than the window, and is read from its title on. */
  readonly kind?: 'dialog-wide' | 'dialog-gate'
  /** Called on Escape, or whatever else closes the dialog. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Open while mounted. The browser keeps the focus inside; on closing, it returns at once to where it was, or to the title. */
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
