import { useEffect, useReducer } from 'preact/hooks'

/** Renders again now and then, so that what is said about how long ago something was, or how long it takes, stays true. */
export const useTimePassing = (intervalMs = 30_000) => {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
}
