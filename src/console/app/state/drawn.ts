import { useEffect, useRef } from 'preact/hooks'

/** Tells whether it is still drawn: whoever has gone elsewhere meanwhile is led nowhere. */
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
