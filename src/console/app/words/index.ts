import { locale } from '#console/app/state/preferences.ts'
import type { Locale } from '#core/locale.ts'
import { en } from './en.ts'
import { ja } from './ja.ts'

const tables: Readonly<Record<Locale, Words>> = { en, ja }

/** The texts of a table in the chosen language. The whole page is drawn again when another is chosen. */
export const textsIn =
  <T>(tables: Readonly<Record<Locale, T>>) =>
  (): T =>
    tables[locale.get()]

export const wordsNow = textsIn(tables)

export const useWords = wordsNow

/** Every language has all of these texts: a missing one does not compile. */
export type Words = typeof en
