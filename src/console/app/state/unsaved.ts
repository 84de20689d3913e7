import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { store } from './store.ts'

/** Goes to the page that the user chose, once the user confirms; undefined while there is nothing to confirm. */
export const pendingLeave = store<(() => void) | undefined>(undefined)

/** The mounted parts with unsaved input. */
const unsaved = new Set<object>()

/** True if unsaved input would be lost. The user is then asked, and after a yes `leave` runs. */
export const blocksLeaving = (leave: () => void): boolean => {
  if (unsaved.size === 0) return false
  pendingLeave.set(() => {
    discardUnsaved()
    leave()
  })
  return true
}

export const cancelLeaving = () => pendingLeave.set(undefined)

/** Call this when the input is saved or discarded. */
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
