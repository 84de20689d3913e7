import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Syncs a file (`r+`) or the names in a folder (`r`). */
export const sync = (path: string, flags: 'r' | 'r+') => {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
