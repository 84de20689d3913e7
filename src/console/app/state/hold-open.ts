/** Makes the browser ask before closing or reloading the page, until the returned function is called. */
export const holdOpen = (): (() => void) => {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  return () => removeEventListener('beforeunload', ask)
}
