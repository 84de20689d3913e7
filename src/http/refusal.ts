import type { Locale } from '#core/locale.ts'
import { type Problem, rootCodes } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import type { Answer } from './answer.ts'
import { errorBody, statusOf } from './errors.ts'
import { chooseErrorForm, type Form, mediaTypes } from './form.ts'
import { cacheControl, vary } from './headers.ts'
import { chooseLocale } from './language.ts'
import { problemJson } from './problem-json.ts'
import type { JsonSchema } from './schema.ts'
import { writeXml } from './xml-write.ts'

export interface RefusalRules {
  readonly words: Words
  readonly locale: Locale
  /** Where codes are explained to people; the code follows. */
  readonly errorsUrl: string
}

/** What is known of a request that is refused: little, where the parser refused it. */
export interface Refused {
  readonly track: string
  readonly path: string
  readonly suffix?: string | undefined
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
}

/** A problem as an answer, in the words and the form of the one who asked. */
export const refusal = (problem: Problem, refused: Refused, rules: RefusalRules): Answer => {
  const locale = chooseLocale(refused.acceptLanguage, rules.locale)
  const form = chooseErrorForm(refused.suffix, refused.accept)
  const headers = [
    'Content-Type',
    mediaTypes[form],
    'Content-Language',
    locale,
    'Cache-Control',
    cacheControl,
    'Vary',
    vary,
  ]
  for (const field of Object.entries(problem.headers)) headers.push(...field)
  return {
    status: statusOf[problem.kind],
    headers,
    body: errorText(problem, form, { refused, rules, locale }),
  }
}

interface Circumstances {
  readonly refused: Refused
  readonly rules: RefusalRules
  readonly locale: Locale
}

const errorText = (problem: Problem, form: Form, { refused, rules, locale }: Circumstances): string => {
  const error = errorBody(problem, locale, rules.words)
  if (form === 'json') return JSON.stringify(error)
  if (form === 'xml') return writeXml('error', error, errorSchema)
  return problemJson(error, {
    title: rules.words[locale][rootCodes[problem.kind]] ?? error.message,
    status: statusOf[problem.kind],
    instance: refused.path,
    trackId: refused.track,
    typeBase: rules.errorsUrl,
  })
}

const text: JsonSchema = { type: 'string' }

const detailSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'detail' },
  properties: { code: text, message: text, target: text },
}

const errorSchema: JsonSchema = {
  type: 'object',
  xml: { name: 'error' },
  properties: { ...detailSchema.properties, details: { type: 'array', items: detailSchema } },
}
