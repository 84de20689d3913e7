import { useEffect, useReducer } from 'preact/hooks'

const intervalMs = 30_000

/** Renders again now and then, so that what is said about how long ago something was stays true. */
export const useTimePassing = () => {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(() => redraw(undefined), intervalMs)
    return () => clearInterval(timer)
  }, [])
}
