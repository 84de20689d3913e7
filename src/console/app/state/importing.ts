import { readStored, writeStored } from './browser-storage.ts'
import { store } from './store.ts'

const place = 'rollcall-import'

/** The imports that last worked, stored so that a reload finds them. */
export const importing = store<readonly string[]>(
  (readStored('sessionStorage', place) ?? '').split(' ').filter(Boolean),
)

importing.watch(() => writeStored('sessionStorage', place, importing.get().join(' ') || undefined))

const busyStates: readonly string[] = ['reading', 'applying', 'undoing']

export const isWorking = ({ state }: { readonly state: string }) => busyStates.includes(state)

/** Remembers an import that is at work, and forgets it afterwards. */
export const trackImport = (one: { readonly importId: string; readonly state: string }) => {
  const others = withoutImport(one.importId)
  if (isWorking(one)) importing.set([...others, one.importId])
  else if (others.length < importing.get().length) importing.set(others)
}

export const forgetImport = (importId: string) => importing.set(withoutImport(importId))

const withoutImport = (importId: string) => importing.get().filter((id) => id !== importId)
