let end: Promise<void> | undefined

/** The end of this turn of the event loop: one for all who wait for it. */
export const endOfTurn = (): Promise<void> => {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      resolve()
    })
  })
  return end
}
