/** How long a page may take to show again what it showed before. */
const maxWaitMs = 3_000

const userEvents = ['wheel', 'pointerdown', 'keydown'] as const

interface Watcher {
  disconnect(): void
}

/** Tries again at each change that `watch` reports until it succeeds, the user scrolls, clicks or types, or it takes too long. */
export const persist = (attempt: () => boolean, watch: (changed: () => void) => Watcher): (() => void) => {
  const watcher = watch(() => {
    if (attempt()) stop()
  })
  const stop = () => {
    watcher.disconnect()
    clearTimeout(timer)
    for (const event of userEvents) removeEventListener(event, stop)
  }
  const timer = setTimeout(stop, maxWaitMs)
  for (const event of userEvents) addEventListener(event, stop)
  return stop
}
