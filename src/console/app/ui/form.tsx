import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Sending } from '#console/app/state/sending.ts'

/** In a group, its first choice. */
const firstRefused = '[aria-invalid="true"]:not(.segments), .segments[aria-invalid="true"] input'

interface FormParts {
  readonly sending: Pick<Sending, 'refusal' | 'isSending'>
  readonly onSubmit: () => unknown
  readonly children: ComponentChildren
}

/** Ctrl-S sends it, too. After each refusal, its first refused field gets the focus, so that it is read out. */
export const Form = ({ sending: { refusal, isSending }, onSubmit, children }: FormParts) => {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>(firstRefused)?.focus()
  }, [refusal])
  useEffect(() => {
    const save = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      // A dialog comes before the form beneath it.
      if (form.current?.closest('dialog') || !document.querySelector('dialog[open]'))
        form.current?.requestSubmit()
    }
    addEventListener('keydown', save)
    return () => removeEventListener('keydown', save)
  }, [])
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} class="form" noValidate aria-busy={isSending} onSubmit={submit}>
      {children}
    </form>
  )
}
