import type { en } from './en.ts'

/** Every language has all of these texts: a missing one does not compile. */
export type Words = typeof en
