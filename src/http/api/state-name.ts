import { hash } from 'node:crypto'
import type { Compared } from '#http/message/conditional.ts'
import { jsonWriter } from '#http/message/representation/json-write.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Versioned } from './routes.ts'

/** Names the state of an item that this schema shows in full. */
export type NameState = (item: Versioned, schema: JsonSchema) => Compared

const digestCharacters = 8

/**
 * A name has the version, and a digest of the item in this history: after a restore, or a failover with loss, another
 * content may have the version number of a lost one.
 */
export const stateNames = (history: string): NameState => {
  const write = jsonWriter('UTC')
  const known = new WeakMap<object, Compared>()

  const named = (item: Versioned, schema: JsonSchema): Compared => {
    const { version, ofVersion = write(schema)(item), lastModifiedAt, beside } = item
    const digest = hash('sha256', `${history} ${ofVersion}`, 'base64url').slice(0, digestCharacters)
    return { name: `${version}-${digest}.`, lastModifiedAt, beside }
  }

  return (item, schema) => {
    const found = known.get(item)
    if (found) return found
    const made = named(item, schema)
    // Only cached items are frozen.
    if (Object.isFrozen(item)) known.set(item, made)
    return made
  }
}
