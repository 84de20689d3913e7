import { savedScroll } from './history.ts'

/** How long to wait for the page to regain its length. */
const maxWaitMs = 3_000

/** Scrolls to the top, or to the previous position once the page is long enough again, unless the user scrolls, clicks or types. */
export const scrollBack = (): (() => void) => {
  const wanted = savedScroll()
  scrollTo(0, wanted)
  const observer = new ResizeObserver(() => {
    scrollTo(0, wanted)
    if (scrollY >= wanted - 1) stop()
  })
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const event of userEvents) removeEventListener(event, stop)
  }
  const timer = setTimeout(stop, maxWaitMs)
  for (const act of userEvents) addEventListener(act, stop)
  observer.observe(document.body)
  return stop
}

const userEvents = ['wheel', 'pointerdown', 'keydown'] as const
