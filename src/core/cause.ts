interface Caused {
  readonly message?: string
  readonly cause?: unknown
}

/** What lies below all that was made of it, in its own words. */
export const causeOf = (thrown: unknown): string => {
  const { message, cause } = Object(thrown) as Caused
  return cause ? causeOf(cause) : (message ?? String(thrown))
}
