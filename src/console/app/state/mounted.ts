import { useEffect, useRef } from 'preact/hooks'

/** Tells whether the component is still mounted: a user who has gone elsewhere must not be redirected. */
export const useIsMounted = (): (() => boolean) => {
  const isMounted = useRef(true)
  useEffect(
    () => () => {
      isMounted.current = false
    },
    [],
  )
  return () => isMounted.current
}
