import { hash } from 'node:crypto'
import type { ItemState } from '#http/message/conditional.ts'
import { jsonWriter } from '#http/message/representation/json-write.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Versioned } from './routes.ts'

/** The state of an item. The schema is that of its full view. */
export type ItemStates = (item: Versioned, schema: JsonSchema) => ItemState

const digestCharacters = 8

/**
 * The name of a state contains the version and a digest. The digest covers the item and the name of the log:
 * after a restore or a failover with loss, a lost version number may be used again for other content.
 */
export const itemStates = (logName: string): ItemStates => {
  const write = jsonWriter('UTC')
  const known = new WeakMap<object, ItemState>()

  const named = (item: Versioned, schema: JsonSchema): ItemState => {
    const { version, versionedText = write(schema)(item), lastModifiedAt, unversionedText } = item
    const digest = hash('sha256', `${logName} ${versionedText}`, 'base64url').slice(0, digestCharacters)
    return { name: `${version}-${digest}.`, lastModifiedAt, unversionedText }
  }

  return (item, schema) => {
    const found = known.get(item)
    if (found) return found
    const made = named(item, schema)
    // A frozen item comes from a cache, so the same object will be shown again. Others are shown once.
    if (Object.isFrozen(item)) known.set(item, made)
    return made
  }
}
