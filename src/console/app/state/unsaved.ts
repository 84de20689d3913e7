import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { store } from './store.ts'

/** Leaves the page once the user confirms that unsaved input is lost. Undefined while there is nothing to confirm. */
export const pendingLeave = store<(() => void) | undefined>(undefined)

/** One object for each mounted component with unsaved input. */
const unsaved = new Set<object>()

/** True if unsaved input would be lost. Then asks the user, and runs `leave` if the user confirms. */
export const blocksLeaving = (leave: () => void): boolean => {
  if (unsaved.size === 0) return false
  pendingLeave.set(() => {
    discardUnsaved()
    leave()
  })
  return true
}

export const cancelLeaving = () => pendingLeave.set(undefined)

/** Forgets the unsaved input, because it was saved or is to be discarded. */
export const discardUnsaved = () => {
  unsaved.clear()
  cancelLeaving()
}

/** While the component is mounted with unsaved input, the user must confirm to leave the page. */
export const useUnsaved = (hasUnsaved: boolean) => {
  useLayoutEffect(() => {
    if (!hasUnsaved) return
    const input = {}
    unsaved.add(input)
    const allowClosing = warnBeforeClosing()
    return () => {
      allowClosing()
      unsaved.delete(input)
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

/** Returns a function that says whether the component is still mounted. A user who has left it must not be redirected. */
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
