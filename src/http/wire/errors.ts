import { fillIn, type Messages } from '#core/error-table.ts'
import type { Locale } from '#core/locale.ts'
import { type CodedMessage, Problem, type ProblemKind } from '#core/problem.ts'

/** The HTTP status of each kind of problem. Nothing else sets the status of a refusal. */
export const statusOf: Readonly<Record<ProblemKind, number>> = {
  httpSyntax: 400,
  bodyInvalid: 400,
  parametersInvalid: 400,
  bodyUnreadable: 400,
  typeMismatch: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  gone: 410,
  methodNotAllowed: 405,
  notAcceptable: 406,
  requestTimeout: 408,
  business: 409,
  conflict: 409,
  keyInUse: 409,
  secretNotKept: 409,
  preconditionFailed: 412,
  bodyTooLarge: 413,
  targetTooLong: 414,
  unsupportedMediaType: 415,
  expectationFailed: 417,
  keyReused: 422,
  operationFailed: 422,
  preconditionRequired: 428,
  tooManyRequests: 429,
  headersTooLarge: 431,
  system: 500,
  storageUnavailable: 503,
  overloaded: 503,
  issuerUnavailable: 503,
}

/** The body of every error response. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly target?: string
  readonly allowed?: readonly string[]
  /** True if the message is that of a rule of the resource. */
  readonly byRule?: true
  readonly details?: readonly ErrorBody[]
}

/** Turns anything thrown into a refusal. An unexpected error becomes a system error, and only the log shows its cause. */
export const asProblem = (thrown: unknown) =>
  thrown instanceof Problem ? thrown : new Problem('system', { cause: thrown })

export const errorBody = (message: Problem['withCodes'], messages: Messages, locale: Locale): ErrorBody => {
  const body = render(message, messages, locale)
  if (message.details.length === 0) return body
  return { ...body, details: message.details.map((detail) => render(detail, messages, locale)) }
}

const render = (coded: CodedMessage, messages: Messages, locale: Locale): ErrorBody => {
  const { code, wording, args, text, target, allowed } = coded
  const message =
    (typeof text === 'object' ? (text[locale] ?? text.en) : text) ??
    fillIn(
      messages[locale][wording ?? code] ?? code,
      target === undefined ? (args ?? {}) : { target, ...args },
    )
  return {
    code,
    message,
    ...(target && { target }),
    ...(allowed && { allowed }),
    ...(text !== undefined && { byRule: true }),
  }
}
