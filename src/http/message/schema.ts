/** The part of JSON Schema that our schemas use, as the http floor reads it. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  /** A record has one of these fields. Which one is for its room to judge. */
  readonly eitherOf?: readonly string[]
  readonly writeOnly?: boolean
  /** The hash of a secret: it is in the database and its copies alone. */
  readonly isHash?: boolean
  /** A file may state it, but a service assigns it. */
  readonly assigned?: boolean
  /** The field may only repeat what is shown; this names the request that changes it. */
  readonly asShown?: string
  readonly changedAt?: string
  readonly format?: string
  readonly zone?: 'utc' | 'local'
  readonly xml?: { readonly name?: string }
}

/** The XML element of a value, as a document or in a list. */
export const schemaName = ({ xml }: JsonSchema) => xml?.name ?? 'item'

export const textSchema: JsonSchema = { type: 'string' }
