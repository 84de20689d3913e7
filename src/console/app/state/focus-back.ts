import { savedLink } from './history.ts'
import { persist } from './persisting.ts'

/** After Back, moves the focus to the link that was followed, once the page shows it again. */
export const focusBack = (): (() => void) => {
  const wanted = savedLink()
  const attempt = () => {
    const links = document.querySelectorAll<HTMLElement>('main a[href]')
    const link = [...links].find((one) => one.getAttribute('href') === wanted)
    link?.focus({ preventScroll: true })
    return link !== undefined
  }
  if (wanted === undefined || attempt()) return () => {}
  return persist(attempt, (changed) => {
    const observer = new MutationObserver(changed)
    observer.observe(document.body, { childList: true, subtree: true })
    return observer
  })
}
