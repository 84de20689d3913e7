export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** The message of the innermost cause of a thrown value. */
export const causeOf = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Caused
  const inner = cause ?? errors?.at(-1)
  return inner ? causeOf(inner) : (message ?? String(thrown))
}

interface Caused {
  readonly message?: string
  readonly cause?: unknown
  /** The errors of an AggregateError, for example one for each address of a host name. */
  readonly errors?: readonly unknown[]
}
