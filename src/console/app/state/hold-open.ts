/** The browser asks before it closes the page or loads it anew, until the returned function is called. */
export const holdOpen = (): (() => void) => {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', ask)
  return () => removeEventListener('beforeunload', ask)
}
