/** What was thrown, in its own words. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** The innermost cause of what was thrown, in its own words. */
export const causeOf = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Caused
  const below = cause ?? errors?.at(-1)
  return below ? causeOf(below) : (message ?? String(thrown))
}

interface Caused {
  readonly message?: string
  readonly cause?: unknown
  /** Of an error that stands for several, such as one for each address of a name. */
  readonly errors?: readonly unknown[]
}
