import { type Locale, lookupLocale } from '#core/locale.ts'
import { remembering } from '#http/message/remembering.ts'

const choices: Readonly<Record<Locale, (acceptLanguage: string) => Locale>> = {
  en: remembering((acceptLanguage) => lookupLocale(acceptLanguage, 'en')),
  ja: remembering((acceptLanguage) => lookupLocale(acceptLanguage, 'ja')),
}

/** The language of an answer. */
export const chooseLocale = (acceptLanguage: string | undefined, fallback: Locale): Locale =>
  acceptLanguage ? choices[fallback](acceptLanguage) : fallback
