type Place = 'localStorage' | 'sessionStorage'

/** What this browser, or only this tab, keeps under a name. A browser may forbid storage. */
export const readKept = (place: Place, key: string): string | null => {
  try {
    return globalThis[place].getItem(key)
  } catch {
    return null
  }
}

/** Without a value, forgets it. What cannot be kept lasts only as long as the page. */
export const keep = (place: Place, key: string, value: string | undefined) => {
  try {
    if (value === undefined) globalThis[place].removeItem(key)
    else globalThis[place].setItem(key, value)
  } catch {
    // The page knows it all the same.
  }
}
