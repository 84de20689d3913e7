import { type Locale, lookupLocale } from '#core/locale.ts'
import { onceFor } from '#core/once.ts'
import { type Problem, rootCodes } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import { chooseErrorForm, type Form, mediaTypes } from '#http/message/representation/form.ts'
import { problemJson, withOccurrence } from '#http/message/representation/problem-json.ts'
import { writeXml } from '#http/message/representation/xml-write.ts'
import type { Answer, Refused } from '#http/wire/answer.ts'
import { errorBody, statusOf } from '#http/wire/errors.ts'
import { cacheControl, vary } from '#http/wire/headers.ts'
import { inOnePiece } from '#http/wire/one-piece.ts'
import type { Cors } from './cors.ts'
import { remembering } from './remembering.ts'
import { type JsonSchema, textSchema } from './schema.ts'

/** A new object whenever the rules change: texts are kept by it. */
export interface RefusalRules {
  readonly words: Words
  readonly locale: Locale
  /** Where codes are explained to people; the code is appended. */
  readonly errorsUrl: string
  /** What callers see in front of every path, such as `/base`. */
  readonly basePath: string
  /** Absent where no other origins are allowed. */
  readonly cors?: Cors | undefined
}

/** A problem as an answer, in the language and the form that the caller wants. */
export const refusal = (problem: Problem, refused: Refused, rules: RefusalRules): Answer => {
  const locale = chooseLocale(refused.acceptLanguage, rules.locale)
  const form = chooseErrorForm(refused.suffix, refused.accept)
  const headers = [
    ...(rules.cors?.fields(refused.origin) ?? []),
    ...['Content-Type', mediaTypes[form]],
    ...['Content-Language', locale],
    ...['Cache-Control', cacheControl],
    ...['Vary', vary],
    ...Object.entries(problem.headers).flat(),
  ]
  const text = errorText(problem, { form, locale }, rules)
  return {
    status: statusOf[problem.kind],
    headers,
    body: form === 'problem' ? withOccurrence(text, refused, rules.basePath) : text,
  }
}

const chooseLocale = (acceptLanguage: string | undefined, fallback: Locale): Locale =>
  acceptLanguage ? locales[fallback](acceptLanguage) : fallback

const locales: Readonly<Record<Locale, (acceptLanguage: string) => Locale>> = {
  en: remembering((acceptLanguage) => lookupLocale(acceptLanguage, 'en')),
  ja: remembering((acceptLanguage) => lookupLocale(acceptLanguage, 'ja')),
}

/** The kept texts of a problem that many requests share. */
type Texts = Record<Locale, Partial<Record<Form, string>>>

const keptTexts = onceFor((_: RefusalRules) => onceFor((_: Problem): Texts => ({ en: {}, ja: {} })))

const errorText = (problem: Problem, presentation: Presentation, rules: RefusalRules): string => {
  if (!problem.isShared) return written(problem, presentation, rules)
  const texts = keptTexts(rules)(problem)[presentation.locale]
  texts[presentation.form] ??= inOnePiece(written(problem, presentation, rules))
  return texts[presentation.form] as string
}

interface Presentation {
  readonly form: Form
  readonly locale: Locale
}

const written = (
  { kind, resolved }: Problem,
  { form, locale }: Presentation,
  { words, errorsUrl }: RefusalRules,
) => {
  const error = errorBody(resolved, words[locale])
  if (form === 'json') return JSON.stringify(error)
  if (form === 'xml') return writeXml('error', error, errorSchema)
  const title = words[locale][rootCodes[kind]] ?? error.message
  return problemJson(error, { title, status: statusOf[kind], typeBase: errorsUrl })
}

const detailSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'detail' },
  properties: { code: textSchema, message: textSchema, target: textSchema },
}

const errorSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'error' },
  properties: { ...detailSchema.properties, details: { type: 'array', items: detailSchema } },
}
