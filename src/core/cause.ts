export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** The message of the innermost cause of a thrown value, or of the value if it has no cause. */
export const rootCauseOf = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Caused
  const inner = cause ?? errors?.at(-1)
  return inner ? rootCauseOf(inner) : (message ?? String(thrown))
}

interface Caused {
  readonly message?: string
  readonly cause?: unknown
  /** The errors of an AggregateError, for example one for each address of a host name. */
  readonly errors?: readonly unknown[]
}
