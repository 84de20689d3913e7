/** The part of JSON Schema that our schemas use, as the http floor reads it. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  readonly asShown?: boolean
  readonly format?: string
  readonly zone?: 'utc' | 'local'
  readonly xml?: { readonly name?: string; readonly wrapped?: boolean }
}
