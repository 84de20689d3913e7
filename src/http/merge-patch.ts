type Members = Readonly<Record<string, unknown>>

/**
 * What a merge patch makes of a document (RFC 7396), but that a removed field is left as undefined: to our schemas it is
 * absent, and a name that they do not know is still seen.
 */
export const mergePatch = (document: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(document) ? document : {}))
  for (const [name, value] of Object.entries(patch)) {
    merged.set(name, value === null ? undefined : mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
