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

/** Headings such as `credential.password`, or `password` alone. */
const ofCredential = /^(?:credential\.(.+)|(signId|password))$/

/** A flat record as the API takes it. */
export const bodyOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const body: Record<string, unknown> = {}
  const credential: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const [, dotted, bare] = ofCredential.exec(name) ?? []
    const inner = dotted ?? bare
    if (inner === undefined) body[name] = value
    else credential[inner] = value
  }
  return Object.keys(credential).length > 0 ? { ...body, credential } : body
}

/** Told by the fields of the first record that could be read. */
export const kindOf = (records: readonly FileRecord[]): Kind | undefined => {
  const first = records.find(({ body }) => body)?.body ?? {}
  if ('todoTitle' in first) return 'todos'
  return 'firstName' in first || 'lastName' in first || 'emailAddress' in first ? 'members' : undefined
}
