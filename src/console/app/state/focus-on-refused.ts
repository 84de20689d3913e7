import { useLayoutEffect, useRef } from 'preact/hooks'

/** In a group, its first choice. */
const firstRefused = '[aria-invalid="true"]:not(.segments), .segments[aria-invalid="true"] input'

/** The form whose first refused field gets the focus after each refusal, so that it is read out. */
export const useFocusOnRefused = (refusal: unknown) => {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>(firstRefused)?.focus()
  }, [refusal])
  return form
}
