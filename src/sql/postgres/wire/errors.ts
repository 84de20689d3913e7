/** An error from the server, with its SQLSTATE. Its detail and context are left out: they may quote a row, and errors are logged. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string
  /** The server said what it was doing, such as changing a record. */
  readonly hasContext: boolean
  /** The function of the server that raised it. */
  readonly routine: string | undefined
  /** The server closes the connection after it. */
  readonly isFatal: boolean

  constructor(fields: Readonly<Record<string, string>>) {
    super((fields.M ?? 'the server refused').replace(/, no encryption$/, `$& (${encryptionHint})`))
    this.code = fields.C ?? ''
    this.hasContext = fields.W !== undefined
    this.routine = fields.R
    this.isFatal = fields.V === 'FATAL' || fields.V === 'PANIC'
  }
}

const encryptionHint = 'DATABASE_URL with ?sslmode=require encrypts, if the server can'

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

/** The table has changed since the server planned the statement: planned anew, it may succeed. */
export const isStale = (error: unknown) =>
  error instanceof ServerError && (error.code === '26000' || error.routine === 'RevalidateCachedQuery')
