/** The end of this turn of the event loop. Each caller has its own wait, so that they go on in the order in which they came. */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
