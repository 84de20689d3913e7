/** An error from the server, with its SQLSTATE. Omits the detail and the context, because they may quote a row, and errors are logged. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string
  /** True if the server sent a context: its work at the time of the error, such as changing a record. */
  readonly hasContextField: boolean
  /** The server function that raised the error. */
  readonly routine: string | undefined
  /** True if the server closes the connection afterwards. */
  readonly isFatal: boolean

  constructor(fields: Readonly<Record<string, string>>) {
    super((fields.M ?? 'the server refused').replace(/, no encryption$/, `$& (${encryptionHint})`))
    this.code = fields.C ?? ''
    this.hasContextField = fields.W !== undefined
    this.routine = fields.R
    this.isFatal = fields.V === 'FATAL' || fields.V === 'PANIC'
  }
}

const encryptionHint = 'add ?sslmode=require to DATABASE_URL if the server can encrypt'

/** The connection ended, or was never established. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code: string

  constructor(cause?: unknown) {
    super('the connection was lost', { cause })
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    this.code = typeof code === 'string' ? code : 'CONNECTION_CLOSED'
  }
}

/** True if a table has changed since the server planned the statement. A new plan may succeed. */
export const isStalePlan = (error: unknown) =>
  error instanceof ServerError && (error.code === '26000' || error.routine === 'RevalidateCachedQuery')
