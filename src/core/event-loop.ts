/** Waits for the work, but at most this long. */
export const waitAtMost = async (work: Promise<unknown>, ms: number): Promise<void> => {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms).unref()
  await Promise.race([work, limit.promise])
  clearTimeout(timer)
}

/** Resolves at the end of this turn of the event loop. Callers continue in the order of their calls. */
export const endOfTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })
