/** Resolves at the end of this turn of the event loop. Callers continue in the order of their calls. */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
