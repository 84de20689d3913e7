/** What a file is full of. */
export type Kind = 'members' | 'todos'

export interface FileRecord {
  /** Where in the file it begins, from 1; its place in an array. */
  readonly line: number
  /** As the API takes it; undefined where the line could not be read. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** As it stood in the file, for the report. */
  readonly text: string
}

export interface Batch {
  readonly kind: Kind
  readonly records: readonly FileRecord[]
}

export type Unreadable = 'empty' | 'kind' | 'fields' | 'large'

/** What stands under these headings belongs to the credential. */
const credentialColumns = ['signId', 'password']

/** A flat record as the API takes it. Null is kept: it is said, where an empty cell is not. */
export const bodyOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const given = Object.entries(fields).map(
    ([name, value]) => [name.replace(/^credential\./, ''), value] as const,
  )
  const ofCredential = given.filter(([name]) => credentialColumns.includes(name))
  if (ofCredential.length === 0) return fields
  const others = given.filter(([name]) => !credentialColumns.includes(name))
  return { ...Object.fromEntries(others), credential: Object.fromEntries(ofCredential) }
}

/** Told by the fields of the first record that could be read. */
export const kindOf = (records: readonly FileRecord[]): Kind | undefined => {
  const first = records.find(({ body }) => body)?.body ?? {}
  if ('todoTitle' in first) return 'todos'
  return 'firstName' in first || 'lastName' in first || 'emailAddress' in first ? 'members' : undefined
}
