/** What was thrown, in its own words. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** What lies below all that was made of it, in its own words. */
export const causeOf = (thrown: unknown): string => {
  const { message, cause, errors } = Object(thrown) as Caused
  const below = cause ?? errors?.at(-1)
  return below ? causeOf(below) : (message ?? String(thrown))
}

interface Caused {
  readonly message?: string
  readonly cause?: unknown
  /** Of one that stands for several, such as the addresses of a name. */
  readonly errors?: readonly unknown[]
}
