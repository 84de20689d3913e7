import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file (`r+`) or the names in a folder (`r`) durable. */
export const sync = (path: string, flags: 'r' | 'r+') => {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
