import { createHash } from 'node:crypto'
import { scratchTable } from '#src/cli/scratch.ts'

/** What the keys of an import have in common. */
type KeyGround = Readonly<Record<'what' | 'path' | 'run', string>>

/**
 * The idempotency key of each record: made from the file, the record and how many equal ones precede it, so that a change
 * of other lines, or of their order, leaves it as it is. It is sent only with the record itself, which may hold a password.
 */
export const recordKeys = ({ what, path, run }: KeyGround) => {
  const occurrenceOf = occurrences()
  return (record: object): string => {
    const content = digest([JSON.stringify(record)])
    return digest([what, path, run, content, String(occurrenceOf(content))])
  }
}

const digest = (parts: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Counts equal texts: 1 for the first. */
const occurrences = () => {
  const counted = scratchTable('seen (text TEXT PRIMARY KEY, times INTEGER NOT NULL)').prepare(
    'INSERT INTO seen VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times',
  )
  return (text: string) => Number(counted.get(text)?.times)
}
