/** What the server refused, and its SQLSTATE. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string
  readonly detail: string | undefined
  readonly hint: string | undefined
  /** What it was about to do, such as change a record. */
  readonly context: string | undefined
  /** Where in the server it was raised. */
  readonly routine: string | undefined

  constructor(fields: Readonly<Record<string, string>>) {
    super(fields.M ?? 'the server refused')
    this.code = fields.C ?? ''
    this.detail = fields.D
    this.hint = fields.H
    this.context = fields.W
    this.routine = fields.R
  }
}

/** The connection came to an end, or never came about. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  readonly code: string

  constructor(cause?: unknown) {
    super('the connection was lost', { cause })
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    this.code = typeof code === 'string' ? code : 'CONNECTION_CLOSED'
  }
}

/** What was not done, because something before it in the same batch was refused. */
export const skipped = () =>
  new ServerError({ C: '25P02', M: 'a statement before this one failed, so this one was not done' })

/** The table changed since the server planned the statement: planned anew, it may succeed. */
export const isStale = (error: unknown) =>
  error instanceof ServerError && (error.code === '26000' || error.routine === 'RevalidateCachedQuery')
