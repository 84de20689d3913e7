import { useLayoutEffect, useRef } from 'preact/hooks'

/** Moves the focus to the page title, for when the focused element is gone. */
export const focusTitle = () => document.querySelector('h1')?.focus({ preventScroll: true })

/** Focuses the page's field for searching or adding, if there is one. */
export const focusSearch = (): boolean => {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.select()
  return field !== null
}

/** The element that, if it has the focus when it goes, leaves it to the page title. */
export const useFocusLeftToTitle = () => {
  const leaving = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = leaving.current
    return () => {
      if (element?.contains(document.activeElement)) focusTitle()
    }
  }, [])
  return leaving
}
