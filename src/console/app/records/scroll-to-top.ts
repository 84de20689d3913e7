import { useEffect, useRef } from 'preact/hooks'
import { whenUserActs } from '#console/app/ui/page.tsx'

/** The wait before scrolling: longer than between two quick presses, so that the button does not move away. */
const settledMs = 500

/** Scrolls to the top of the list once the chosen page is shown, unless the user has acted since. */
export const useScrollToTop = (page: number, isShown: boolean) => {
  const list = useRef<HTMLDivElement>(null)
  const requestedPage = useRef<number | undefined>(undefined)
  const forget = () => {
    requestedPage.current = undefined
  }
  useEffect(() => whenUserActs(forget), [])
  useEffect(() => {
    if (page !== requestedPage.current) forget()
  }, [page])
  useEffect(() => {
    if (!isShown || requestedPage.current !== page) return
    const timer = setTimeout(() => {
      if (requestedPage.current !== page) return
      forget()
      if (list.current && list.current.getBoundingClientRect().top < 0) list.current.scrollIntoView()
    }, settledMs)
    return () => clearTimeout(timer)
  }, [page, isShown])
  return { list, requestedPage }
}
