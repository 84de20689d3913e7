import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { store } from './store.ts'

/** Continues to where the user wanted to go, once confirmed; undefined while there is nothing to confirm. */
export const pendingLeave = store<(() => void) | undefined>(undefined)

/** The mounted parts with unsaved input. */
const unsaved = new Set<object>()

/** True if unsaved input would be lost; the user is then asked, and `leave` runs on confirmation. */
export const blocksLeaving = (leave: () => void): boolean => {
  if (unsaved.size === 0) return false
  pendingLeave.set(() => {
    discardUnsaved()
    leave()
  })
  return true
}

export const cancelLeaving = () => pendingLeave.set(undefined)

/** Call this when the input is saved, or no longer needs to be. */
export const discardUnsaved = () => {
  unsaved.clear()
  cancelLeaving()
}

/** While mounted with unsaved input, leaving requires confirmation. */
export const useUnsaved = (hasUnsaved: boolean) => {
  useLayoutEffect(() => {
    if (!hasUnsaved) return
    const part = {}
    unsaved.add(part)
    const allowClosing = warnBeforeClosing()
    return () => {
      allowClosing()
      unsaved.delete(part)
      if (unsaved.size === 0) cancelLeaving()
    }
  }, [hasUnsaved])
}

/** Makes the browser ask before closing or reloading the page, until the returned function is called. */
export const warnBeforeClosing = (): (() => void) => {
  const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault()
  addEventListener('beforeunload', preventUnload)
  return () => removeEventListener('beforeunload', preventUnload)
}

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
