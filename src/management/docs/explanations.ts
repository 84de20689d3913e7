import { type Locale, locales } from '#core/locale.ts'
import type { Explanation, Explanations } from '#http/openapi/explanation.ts'
import { english } from './english.ts'
import { englishDetails } from './english-details.ts'
import { japanese } from './japanese.ts'
import { japaneseDetails } from './japanese-details.ts'

const common: Explanations = {
  en: { ...english, ...englishDetails },
  ja: { ...japanese, ...japaneseDetails },
}

/** The explanations of the service and of its rooms as one table. */
export const allExplanations = (rooms: readonly Explanations[]): Explanations => {
  const merged: Partial<Record<Locale, Readonly<Record<string, Explanation>>>> = {}
  for (const locale of locales)
    merged[locale] = Object.assign({}, ...[common, ...rooms].map((one) => one[locale]))
  return merged as Explanations
}
