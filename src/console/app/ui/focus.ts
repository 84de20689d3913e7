/** Moves the focus to the page title, for when the focused element is gone. */
export const focusTitle = () => document.querySelector('h1')?.focus({ preventScroll: true })

/** Focuses the page's field for searching or adding, if there is one. */
export const focusSearch = (): boolean => {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.select()
  return field !== null
}
