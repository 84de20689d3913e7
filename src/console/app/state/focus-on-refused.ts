import { useLayoutEffect, useRef } from 'preact/hooks'

/** Of a group, its first choice. */
const firstRefused = '[aria-invalid="true"], .segments[aria-describedby] input'

/** The form whose first refused field gets the focus after each refusal, and so is read out. */
export const useFocusOnRefused = (refusal: unknown) => {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>(firstRefused)?.focus()
  }, [refusal])
  return form
}
