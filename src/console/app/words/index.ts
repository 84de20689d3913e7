import { locale } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import type { Locale } from '#core/locale.ts'
import { en } from './en.ts'
import { ja } from './ja.ts'

const tables: Readonly<Record<Locale, Words>> = { en, ja }

/** A hook for the texts of a table in the chosen language. */
export const textsIn =
  <T>(tables: Readonly<Record<Locale, T>>) =>
  (): T =>
    tables[useStore(locale)]

export const useWords = textsIn(tables)

/** The same outside of rendering. */
export const wordsNow = (): Words => tables[locale.get()]

/** Every language has all of these texts: a missing one does not compile. */
export type Words = typeof en
