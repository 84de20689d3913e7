import { createHash } from 'node:crypto'
import type { JsonSchema } from '#http/message/schema.ts'
import { type Entry, entriesOf, placeOf, type Source } from './import-source.ts'

/** A hash of the records of a file so far, and of their places. */
export const trail = () => {
  const hash = createHash('sha256')
  return {
    add: (entry: Entry) => void hash.update(`${placeOf(entry)} ${entry.content}\n`),
    digest: () => hash.copy().digest('base64url'),
  }
}

/** The hash of the records up to this place. */
export const trailUpTo = async (source: Source, imported: JsonSchema, place: number): Promise<string> => {
  const { add, digest } = trail()
  for await (const entry of entriesOf(source, imported, () => undefined)) {
    if (placeOf(entry) <= place) add(entry)
    // What follows may be unreadable.
    if (placeOf(entry) >= place) break
  }
  return digest()
}
