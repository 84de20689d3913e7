import { keep, readKept } from './browser-storage.ts'
import { store } from './store.ts'

const place = 'rollcall-import'

/** The import that was last seen at work, also after a reload. */
export const importing = store(readKept('sessionStorage', place) ?? undefined)

importing.watch(() => keep('sessionStorage', place, importing.get()))

const moving: readonly string[] = ['reading', 'applying', 'undoing']

export const isMoving = ({ state }: { readonly state: string }) => moving.includes(state)

/** Remembers an import that is at work, and forgets it afterwards. */
export const seeImport = (one: { readonly importId: string; readonly state: string }) => {
  if (isMoving(one)) importing.set(one.importId)
  else if (importing.get() === one.importId) importing.set(undefined)
}
