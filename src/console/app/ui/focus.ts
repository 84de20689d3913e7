/** Where one goes on when what had the focus is gone: the title of the page. */
export const focusTitle = () => document.querySelector('h1')?.focus({ preventScroll: true })

/** The field of the page that one searches or adds in, where there is one. */
export const focusSearch = (): boolean => {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.select()
  return field !== null
}
