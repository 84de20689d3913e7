/** Of half a shelf of what is remembered, in rows and entries together. */
export const mostWeight = 10_000
