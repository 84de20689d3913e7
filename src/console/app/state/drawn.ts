import { useEffect, useRef } from 'preact/hooks'

/** Tells whether the component is still mounted: a user who has gone elsewhere must not be redirected. */
export const useIsDrawn = (): (() => boolean) => {
  const isDrawn = useRef(true)
  useEffect(
    () => () => {
      isDrawn.current = false
    },
    [],
  )
  return () => isDrawn.current
}
