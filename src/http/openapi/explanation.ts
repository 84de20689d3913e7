import type { Locale } from '#core/locale.ts'

/** What people read about a code. */
export interface Explanation {
  readonly means: string
  readonly why: string
  /** What to do. */
  readonly cure: string
}

/** Every code explained in every language: a missing one does not compile. */
export type Explanations<C extends string = string> = Readonly<
  Record<Locale, Readonly<Record<C, Explanation>>>
>
