import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { focusTitle } from './focus.ts'

interface DialogParts {
  readonly title: string
  /** What is read out with the title. */
  readonly text?: string
  /** A wide one may be higher than the window, and is read from its title. */
  readonly kind?: 'dialog-wide' | 'dialog-gate'
  /** Escape, or whatever else closes it. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Open for as long as it is drawn. The browser keeps the focus in it; it goes back before anything else can be pressed, or to the title. */
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
        // A second Escape closes it without asking. Whether it is open is ours to say.
        if (!currentTarget.isConnected) return
        currentTarget.showModal()
        onClose()
      }}
    >
      <div class="dialog-body">
        <h2 id={id} {...(kind === 'dialog-wide' && { tabIndex: -1, autofocus: true })}>
          {title}
        </h2>
        {text && <p id={`${id}-text`}>{text}</p>}
        {children}
      </div>
    </dialog>
  )
}
