/** What was thrown, in its own words. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** What lies below all that was made of it, in its own words. */
export const causeOf = (thrown: unknown): string => {
  const { message, cause } = Object(thrown) as Caused
  return cause ? causeOf(cause) : (message ?? String(thrown))
}

interface Caused {
  readonly message?: string
  readonly cause?: unknown
}
