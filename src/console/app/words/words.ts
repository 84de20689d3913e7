import type { en } from './en.ts'

/** Every language says all of this: what is missing in one does not compile. */
export type Words = typeof en
