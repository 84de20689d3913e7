type Place = 'localStorage' | 'sessionStorage'

/** Reads a stored value of this browser or tab. A browser may forbid storage. */
export const readStored = (place: Place, key: string): string | null => {
  try {
    return globalThis[place].getItem(key)
  } catch {
    return null
  }
}

/** Stores a value, or removes it if undefined. If storage is forbidden, the value lasts as long as the page. */
export const writeStored = (place: Place, key: string, value: string | undefined) => {
  try {
    if (value === undefined) globalThis[place].removeItem(key)
    else globalThis[place].setItem(key, value)
  } catch {
    // The page still has the value.
  }
}
