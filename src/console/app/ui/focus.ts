import { useLayoutEffect, useRef } from 'preact/hooks'

/** Moves the focus to the page title, for use when the focused element is gone. */
export const focusTitle = () => document.querySelector('h1')?.focus({ preventScroll: true })

export const focusSearch = () => focusField('[data-search]')

export const focusAdd = () => focusField('[data-add]')

/** Focuses the field that the selector finds on the page, and selects its text. False if there is no such field. */
const focusField = (selector: string): boolean => {
  const field = document.querySelector<HTMLInputElement>(selector)
  field?.select()
  return field !== null
}

/** A ref for an element: if the element is removed while it has the focus, the focus moves to the page title. */
export const useTitleFocusOnUnmount = () => {
  const removed = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = removed.current
    return () => {
      if (element?.contains(document.activeElement)) focusTitle()
    }
  }, [])
  return removed
}
