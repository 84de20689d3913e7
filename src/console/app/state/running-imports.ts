import { readStored, writeStored } from './browser-storage.ts'
import { store } from './store.ts'

const key = 'rollcall-import'

/** The ids of the imports that are running. They are stored, so that they are still known after a reload. */
export const runningImports = store<readonly string[]>(
  (readStored('sessionStorage', key) ?? '').split(' ').filter(Boolean),
)

runningImports.watch(() => writeStored('sessionStorage', key, runningImports.get().join(' ') || undefined))

const busyStates: readonly string[] = ['reading', 'applying', 'undoing']

export const isRunning = ({ state }: { readonly state: string }) => busyStates.includes(state)

/** Remembers an import if it is running. Forgets it otherwise. */
export const trackImport = (one: { readonly importId: string; readonly state: string }) => {
  const others = withoutImport(one.importId)
  if (isRunning(one)) runningImports.set([...others, one.importId])
  else if (others.length < runningImports.get().length) runningImports.set(others)
}

export const forgetImport = (importId: string) => runningImports.set(withoutImport(importId))

const withoutImport = (importId: string) => runningImports.get().filter((id) => id !== importId)
