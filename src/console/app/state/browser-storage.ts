type StorageName = 'localStorage' | 'sessionStorage'

/** Reads a value from the storage of this browser or tab. Null if there is none, or if the browser forbids storage. */
export const readStored = (storage: StorageName, key: string): string | null => {
  try {
    return globalThis[storage].getItem(key)
  } catch {
    return null
  }
}

/** Stores a value, or removes it if undefined. If storage is forbidden, the value lasts as long as the page. */
export const writeStored = (storage: StorageName, key: string, value: string | undefined) => {
  try {
    if (value === undefined) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, value)
  } catch {
    // The page still has the value.
  }
}
