import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Failure, failureOf, isAborted, kindOf } from '#console/app/api/failure.ts'
import { connection } from './connection.ts'

/** Something that is read from the service: the last value stays while it is read anew. */
export interface Loaded<T> {
  readonly value: T | undefined
  readonly failure: Failure | undefined
  readonly isLoading: boolean
  /** Reads it again. */
  readonly reload: () => void
  /** Shows another value until it is read again. */
  readonly show: (change: (now: T) => T) => void
}

interface State<T> {
  readonly value: T | undefined
  readonly failure: Failure | undefined
  readonly isLoading: boolean
}

/** Reads when it is first drawn, whenever `key` changes, and when the service is back; an answer to an older question is dropped. */
export const useLoad = <T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<State<T>>({ value: undefined, failure: undefined, isLoading: true })
  const [turn, setTurn] = useState(0)
  const latest = useRef(read)
  latest.current = read
  useEffect(() => {
    const giveUp = new AbortController()
    setState((now) => ({ ...now, isLoading: true }))
    latest.current(giveUp.signal).then(
      (value) => {
        if (!giveUp.signal.aborted) setState({ value, failure: undefined, isLoading: false })
      },
      (error) => {
        const failure = failureOf(error)
        if (giveUp.signal.aborted || isAborted(failure)) return
        setState(({ value }) => ({ value, failure, isLoading: false }))
      },
    )
    return () => giveUp.abort()
  }, [key, turn])
  const reload = useCallback(() => setTurn((now) => now + 1), [])
  const isLost = state.failure !== undefined && kindOf(state.failure) === 'unreachable'
  useEffect(() => {
    if (!isLost) return
    return connection.watch(() => {
      if (connection.get().state === 'up') reload()
    })
  }, [isLost, reload])
  const show = useCallback(
    (change: (now: T) => T) =>
      setState((now) => (now.value === undefined ? now : { ...now, value: change(now.value) })),
    [],
  )
  return { ...state, reload, show }
}
