import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks'

export interface Store<T> {
  get(): T
  set(next: T): void
  /** Calls the function after each change, until the returned function is called. */
  watch(changed: () => void): () => void
}

/** A value shared by several views. */
export const store = <T>(initial: T): Store<T> => {
  let value = initial
  const watchers = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const changed of [...watchers]) changed()
    },
    watch(changed) {
      watchers.add(changed)
      return () => void watchers.delete(changed)
    },
  }
}

/** The current value. The component renders again whenever the value changes. */
export const useStore = <T>(source: Store<T>): T => {
  const redraw = useRedraw()
  useLayoutEffect(() => source.watch(redraw), [source])
  return source.get()
}

/** Renders the component again at intervals, so that texts such as “5 minutes ago” stay true. */
export const useTimePassing = (intervalMs = 30_000) => {
  const redraw = useRedraw()
  useEffect(() => {
    const timer = setInterval(redraw, intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
}

const useRedraw = () => {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0)
  return () => redraw(undefined)
}
