import { memoize } from '#core/memoize.ts'
import { notOneOf, Problem } from '#core/problem.ts'
import { chooseMediaType } from './accept.ts'

export type Form = 'json' | 'xml' | 'problem'

export const mediaTypes: Readonly<Record<Form, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  problem: 'application/problem+json',
}

/** The form of an answer: a suffix takes precedence over Accept. */
export const chooseForm = (suffix: string | undefined, accept: string | undefined): Form => {
  const form = suffix === undefined ? acceptedForm(accept ?? anything) : suffixForm(suffix)
  if (!form) throw suffix === undefined ? unknownTypes : unknownSuffix
  return form
}

/** Refuses a suffix that stands for no representation, whatever the method. */
export const requireSuffix = (suffix: string | undefined) => {
  if (suffix !== undefined && !suffixForm(suffix)) throw unknownSuffix
}

/** The form of a refusal: JSON if nothing that the caller accepts fits. */
export const chooseErrorForm = (suffix: string | undefined, accept: string | undefined): Form =>
  suffixForm(suffix) ?? acceptedErrorForm(accept ?? anything) ?? 'json'

const suffixForm = (suffix: string | undefined): Form | undefined =>
  suffix === 'json' || suffix === 'xml' ? suffix : undefined

const anything = '*/*'

const answers: readonly Form[] = ['json', 'xml']

const notAcceptable = (target: string, allowed: readonly string[]) =>
  new Problem('notAcceptable', { details: [notOneOf(target, allowed)] })

const unknownTypes = notAcceptable(
  'Accept',
  answers.map((form) => mediaTypes[form]),
)
const unknownSuffix = notAcceptable(
  'extension',
  answers.map((form) => `.${form}`),
)

/** Problem details are a form of errors only, and go to callers that name them. */
const errors: readonly Form[] = ['problem', ...answers]

const choose = (accept: string, forms: readonly Form[]) => {
  const type = chooseMediaType(
    accept,
    forms.map((form) => mediaTypes[form]),
  )
  return forms.find((form) => mediaTypes[form] === type)
}

const acceptedForm = memoize((accept): Form | undefined => choose(accept, answers))

const acceptedErrorForm = memoize((accept): Form | undefined =>
  choose(accept, accept.toLowerCase().includes(mediaTypes.problem) ? errors : answers),
)
