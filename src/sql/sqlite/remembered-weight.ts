/** The limit of each half of a shelf, in rows and entries together. */
export const maxWeight = 10_000
