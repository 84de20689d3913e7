import { savedScroll } from './history.ts'
import { persist } from './persisting.ts'

/** Scrolls to the top, or to the previous position once the page is long enough again. */
export const scrollBack = (): (() => void) => {
  const wanted = savedScroll()
  const attempt = () => {
    scrollTo(0, wanted)
    return scrollY >= wanted - 1
  }
  attempt()
  return persist(attempt, (changed) => {
    const observer = new ResizeObserver(changed)
    observer.observe(document.body)
    return observer
  })
}
