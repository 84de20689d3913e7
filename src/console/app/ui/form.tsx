import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Sending } from '#console/app/state/sending.ts'

/** The selector of the first refused field. In a radio group, it selects the first choice. */
const firstRefused = '[aria-invalid="true"]:not(.segments), .segments[aria-invalid="true"] input'

interface FormProps {
  readonly class?: string
  readonly sending?: Partial<Pick<Sending, 'refusal' | 'isSending'>>
  readonly onSubmit: () => unknown
  readonly onEscape?: () => void
  readonly children: ComponentChildren
}

/**
 * A form. Ctrl-S sends the form that has the focus, or the only form of the page. After a refusal, the first refused field gets
 * the focus, so that screen readers read it.
 */
export const Form = ({ class: classes = 'form', sending = {}, onSubmit, onEscape, children }: FormProps) => {
  const { refusal, isSending } = sending
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>(firstRefused)?.focus()
  }, [refusal])
  useEffect(() => {
    const save = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      const { activeElement, forms } = document
      const focused = activeElement?.closest('form') ?? (forms.length === 1 ? forms[0] : undefined)
      if (focused === form.current) form.current?.requestSubmit()
    }
    addEventListener('keydown', save)
    return () => removeEventListener('keydown', save)
  }, [])
  return (
    <form
      ref={form}
      class={classes}
      noValidate
      aria-busy={isSending}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.isComposing) onEscape?.()
      }}
    >
      {children}
    </form>
  )
}
