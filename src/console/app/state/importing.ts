import { readStored, writeStored } from './browser-storage.ts'
import { store } from './store.ts'

const place = 'rollcall-import'

/** The import that last worked, stored so that a reload finds it. */
export const importing = store(readStored('sessionStorage', place) ?? undefined)

importing.watch(() => writeStored('sessionStorage', place, importing.get()))

const busyStates: readonly string[] = ['reading', 'applying', 'undoing']

export const isWorking = ({ state }: { readonly state: string }) => busyStates.includes(state)

/** Remembers an import that is at work, and forgets it afterwards. */
export const trackImport = (one: { readonly importId: string; readonly state: string }) => {
  if (isWorking(one)) importing.set(one.importId)
  else if (importing.get() === one.importId) importing.set(undefined)
}
