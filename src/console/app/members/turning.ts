import { useEffect, useRef } from 'preact/hooks'

/** Longer than the pause between two quick presses: the button must not move from under the pointer. */
const settledMs = 500

/** Scrolls to the top of the part once a page that was turned to is shown, and is not being turned further. */
export const useTopOnceTurned = (page: number, isShown: boolean) => {
  const part = useRef<HTMLDivElement>(null)
  const isTurned = useRef(false)
  useEffect(() => {
    if (!isShown || !isTurned.current) return
    const timer = setTimeout(() => {
      isTurned.current = false
      const { current } = part
      if (current && current.getBoundingClientRect().top < 0) current.scrollIntoView()
    }, settledMs)
    return () => clearTimeout(timer)
  }, [page, isShown])
  const onTurned = () => {
    isTurned.current = true
  }
  return { part, onTurned }
}
