type Members = Readonly<Record<string, unknown>>

/**
 * Applies a merge patch to a document (RFC 7396), except that a removed field stays as undefined: our schemas treat it as
 * absent, and an unknown name is still found and refused.
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
