import { scrolledHere } from './history.ts'

/** Who comes back waits no longer than this for what was there. */
const longestMs = 3_000

/** To the top, or to where one was before, as soon as the page is long enough again; not once somebody scrolls, clicks or types. */
export const scrollBack = (): (() => void) => {
  const wanted = scrolledHere()
  scrollTo(0, wanted)
  const observer = new ResizeObserver(() => {
    scrollTo(0, wanted)
    if (scrollY >= wanted - 1) stop()
  })
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const act of acts) removeEventListener(act, stop)
  }
  const timer = setTimeout(stop, longestMs)
  for (const act of acts) addEventListener(act, stop)
  observer.observe(document.body)
  return stop
}

const acts = ['wheel', 'pointerdown', 'keydown'] as const
