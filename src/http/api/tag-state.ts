import { hash } from 'node:crypto'
import type { TagState } from '#http/message/conditional.ts'
import { jsonWriter } from '#http/message/representation/json-write.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Versioned } from './routes.ts'

/** Computes the state of an item. The schema is that of its full view. */
export type TagStates = (item: Versioned, schema: JsonSchema) => TagState

const digestCharacters = 8

/**
 * A tag consists of the version and a digest of the item and the name of the log. After a restore, or a failover that lost
 * writes, a version number may be used again for other content; the digest then differs.
 */
export const tagStates = (logName: string): TagStates => {
  const write = jsonWriter('UTC')
  const cachedStates = new WeakMap<object, TagState>()

  const compute = (item: Versioned, schema: JsonSchema): TagState => {
    const { version, versionedText = write(schema)(item), lastModifiedAt, unversionedText } = item
    const digest = hash('sha256', `${logName} ${versionedText}`, 'base64url').slice(0, digestCharacters)
    return { tagPrefix: `${version}-${digest}.`, lastModifiedAt, unversionedText }
  }

  return (item, schema) => {
    const cached = cachedStates.get(item)
    if (cached) return cached
    const computed = compute(item, schema)
    // A frozen item comes from a cache, so the same object will be shown again. Other objects are shown once.
    if (Object.isFrozen(item)) cachedStates.set(item, computed)
    return computed
  }
}
