import { useEffect } from 'preact/hooks'
import { holdOpen } from './hold-open.ts'
import { store } from './store.ts'

/** Continues to where the user wanted to go, once confirmed; undefined while there is nothing to confirm. */
export const asked = store<(() => void) | undefined>(undefined)

let isUnsaved = false

/** True if unsaved input would be lost; the user is then asked, and `leave` runs on confirmation. */
export const holdsBack = (leave: () => void): boolean => {
  if (!isUnsaved) return false
  asked.set(() => {
    forget()
    leave()
  })
  return true
}

export const stay = () => asked.set(undefined)

/** Call this when the input is saved, or no longer needs to be. */
export const forget = () => {
  isUnsaved = false
  stay()
}

/** While mounted with unsaved input, leaving requires confirmation. */
export const useUnsaved = (hasUnsaved: boolean) => {
  useEffect(() => {
    if (!hasUnsaved) return
    isUnsaved = true
    const letClose = holdOpen()
    return () => {
      letClose()
      forget()
    }
  }, [hasUnsaved])
}
