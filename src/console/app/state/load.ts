import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ReadOptions } from '#console/app/api/call.ts'
import { type Failure, failureOf, isAborted, isGone, kindOf } from '#console/app/api/failure.ts'
import { connection } from './connection.ts'
import { followFeed, keepFresh, type LiveOptions } from './live.ts'

/** A value loaded from the service. The last value stays while the next value is loaded. */
export interface LoadedValue<T> {
  readonly value: T | undefined
  readonly failure: Failure | undefined
  readonly isLoading: boolean
  readonly reload: () => void
  /** Shows another value until the value is loaded again. */
  readonly show: (change: (current: T) => T) => void
}

/** Reads a value. `previous` is the last value that was read for the same key; if nothing has changed, returns `previous` itself. */
type Read<T> = (options: ReadOptions, previous: T | undefined) => Promise<T>

interface State<T> extends Omit<LoadedValue<T>, 'reload' | 'show'> {
  /** The key that the value was read for. */
  readonly key: string
}

/** Loads a value on mount, when `key` changes, when the service is back, and, with `live`, when data changes. Drops outdated answers. */
export const useLoad = <T>(key: string, read: Read<T>, live?: LiveOptions): LoadedValue<T> => {
  const [state, setState] = useState<State<T>>({ key, value: undefined, failure: undefined, isLoading: true })
  const [reloadCount, setReloadCount] = useState(0)
  const previous = state.key === key ? state.value : undefined
  const latest = useRef({ read, previous, isLoading: true })
  latest.current = { read, previous, isLoading: state.isLoading }
  const controller = useRef(new AbortController())
  const showCount = useRef(0)
  useEffect(() => {
    const running = new AbortController()
    const { signal } = running
    controller.current = running
    const { read, previous } = latest.current
    setState((now) => ({ ...now, isLoading: true }))
    read({ signal, isBackground: false }, previous).then(
      (found) => {
        if (signal.aborted) return
        setState(({ value }) => {
          const isSame = previous !== undefined && found === previous
          return { key, value: isSame ? value : found, failure: undefined, isLoading: false }
        })
      },
      (error) => {
        const failure = failureOf(error)
        if (signal.aborted || isAborted(failure)) return
        setState((now) => ({ ...now, failure, isLoading: false }))
      },
    )
    return () => running.abort()
  }, [key, reloadCount])
  const reload = useCallback(() => setReloadCount((now) => now + 1), [])
  /** Reads again in the background. If that fails, the value stays. If the record was deleted, also sets `failure`. */
  const refresh = useCallback(async () => {
    const { read, previous, isLoading } = latest.current
    const { signal } = controller.current
    const showCountBefore = showCount.current
    const isOutdated = () => signal.aborted || showCount.current !== showCountBefore
    if (isLoading) return false
    try {
      const value = await read({ signal, isBackground: true }, previous)
      if (isOutdated()) return false
      setState((now) => (value === previous && !now.failure ? now : { ...now, value, failure: undefined }))
    } catch (error) {
      const failure = failureOf(error)
      if (isOutdated() || !isGone(failure)) throw error
      setState((now) => ({ ...now, failure }))
    }
    return true
  }, [])
  const liveView = useRef<ReturnType<typeof keepFresh>>(undefined)
  useEffect(() => {
    liveView.current = live && keepFresh(refresh, live)
    return liveView.current?.end
  }, [key, refresh])
  useEffect(() => {
    if (state.failure) liveView.current?.readIn(liveView.current.pollMs)
  }, [state.failure])
  const isShown = state.value !== undefined
  useEffect(() => {
    if (isShown && live?.reloadOn) followFeed()
  }, [isShown])
  const isUnreachable = state.failure !== undefined && kindOf(state.failure) === 'unreachable'
  useEffect(() => {
    if (!isUnreachable) return
    return connection.watch(() => {
      if (connection.get().state === 'up') reload()
    })
  }, [isUnreachable, reload])
  const show = useCallback((change: (now: T) => T) => {
    showCount.current += 1
    setState((now) => (now.value === undefined ? now : { ...now, value: change(now.value) }))
  }, [])
  return { ...state, reload, show }
}
