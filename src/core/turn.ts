/** The end of this turn of the event loop. Each waits by itself, so that who came first goes on first. */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
