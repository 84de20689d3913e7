/** Makes the browser ask before closing or reloading the page, until the returned function is called. */
export const holdOpen = (): (() => void) => {
  const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', preventUnload)
  return () => removeEventListener('beforeunload', preventUnload)
}
