import { useEffect } from 'preact/hooks'
import { holdOpen } from './hold-open.ts'
import { store } from './store.ts'

/** Goes where somebody wanted to go, who is asked first; undefined while nobody is asked. */
export const asked = store<(() => void) | undefined>(undefined)

let isUnsaved = false

/** True where something typed would be lost: then one is asked, and `leave` is what goes on. */
export const holdsBack = (leave: () => void): boolean => {
  if (!isUnsaved) return false
  asked.set(() => {
    forget()
    leave()
  })
  return true
}

export const stay = () => asked.set(undefined)

/** What was typed is saved, or need not be. */
export const forget = () => {
  isUnsaved = false
  stay()
}

/** For as long as it is drawn, nobody leaves without being asked while there is something to lose. */
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
