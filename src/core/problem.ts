import type { Code, LocalizedText } from './error-table.ts'
import type { DetailCode, MessageName, RefusalCode } from './messages.ts'

/** The kinds of refusal (decision 0010), each with its root code. A message without a code gets the root code. */
export const codeOfKind = {
  httpSyntax: 'e.xx.fw.6000',
  methodNotAllowed: 'e.xx.fw.6001',
  notAcceptable: 'e.xx.fw.6002',
  unsupportedMediaType: 'e.xx.fw.6003',
  bodyTooLarge: 'e.xx.fw.6004',
  targetTooLong: 'e.xx.fw.6005',
  headersTooLarge: 'e.xx.fw.6006',
  requestTimeout: 'e.xx.fw.6007',
  expectationFailed: 'e.xx.fw.6008',
  bodyInvalid: 'e.xx.fw.7001',
  parametersInvalid: 'e.xx.fw.7002',
  bodyUnreadable: 'e.xx.fw.7003',
  typeMismatch: 'e.xx.fw.7006',
  unauthenticated: 'e.xx.fw.4001',
  forbidden: 'e.xx.fw.4003',
  notFound: 'e.xx.fw.5001',
  gone: 'e.xx.fw.5002',
  business: 'e.xx.fw.8001',
  conflict: 'e.xx.fw.8002',
  preconditionFailed: 'e.xx.fw.8003',
  preconditionRequired: 'e.xx.fw.8004',
  keyInUse: 'e.xx.fw.8005',
  keyReused: 'e.xx.fw.8006',
  operationFailed: 'e.xx.fw.8007',
  secretNotKept: 'e.xx.fw.8008',
  storageUnavailable: 'e.xx.fw.9002',
  system: 'e.xx.fw.9003',
  overloaded: 'e.xx.fw.9004',
  tooManyRequests: 'e.xx.fw.9005',
  issuerUnavailable: 'e.xx.fw.9006',
} as const satisfies Record<string, RefusalCode>

export type ProblemKind = keyof typeof codeOfKind

export type MessageArgs = Readonly<Record<string, string | number>>

/** A message: either the code of a message with arguments, or the text of a rule of a declared resource. */
export interface Message {
  readonly code?: Code
  readonly args?: MessageArgs
  readonly text?: LocalizedText
  readonly target?: string
  /** The codes of the code list, if the value is not one of them. */
  readonly allowed?: readonly string[]
}

/** A message with its code. */
export interface CodedMessage extends Message {
  readonly code: Code
  /** The name of a more exact message than that of the code. */
  readonly wording?: MessageName
}

/** A detail whose code is one of the service, not of a declared resource. */
export interface Detail extends CodedMessage {
  readonly code: DetailCode
}

interface ProblemContent {
  readonly messages?: readonly Message[]
  /** One detail per failing field. Details are listed under the root code even if there is only one. */
  readonly details?: readonly CodedMessage[]
  /** Header fields of the refusal, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/**
 * A refusal, thrown anywhere and turned into a response by `http/wire/errors`. The class implements Error without extending it,
 * because recording a stack would cost more than the response.
 */
export class Problem implements Error {
  readonly name = 'Problem'
  readonly kind: ProblemKind
  readonly headers: Readonly<Record<string, string>>
  /** The error behind the refusal, if there is one. Only the log shows it. */
  readonly cause: unknown
  readonly #messages: readonly Message[]
  readonly #details: readonly CodedMessage[]

  constructor(
    kind: ProblemKind,
    { messages = none, details = none, headers = noHeaders, cause }: ProblemContent = {},
  ) {
    this.kind = kind
    this.headers = headers
    this.cause = cause
    this.#messages = messages
    this.#details = details
  }

  get message() {
    return codeOfKind[this.kind]
  }

  /** A single message becomes the error body. Several messages become details under the root code. */
  get withCodes(): CodedMessage & { readonly details: readonly CodedMessage[] } {
    const root = codeOfKind[this.kind]
    const [only, ...others] = this.#messages
    if (only && others.length === 0) return { ...only, code: only.code ?? root, details: this.#details }
    const details = this.#messages.map((message) => ({ ...message, code: message.code ?? root }))
    return { code: root, details: [...details, ...this.#details] }
  }
}

const none: readonly CodedMessage[] = []
const noHeaders = {}

/** Another request or another record prevents the change. The details name the cause, if it is known. */
export const conflict = (cause?: unknown, details?: readonly Detail[]) =>
  new Problem('conflict', { cause, ...(details && { details }) })

/** The field refers to a record of the resource `what` that does not exist. */
export const referenceMissing = (target: string, what: string): Detail => ({
  code: 'Reference',
  target,
  args: { what },
})

/** The database reported a violated foreign key, either of the record or of another record that refers to it. */
export const referenceBroken = (cause: unknown) =>
  conflict(cause, [{ code: 'Reference', wording: 'Reference.broken' }])

/** The version that the caller requires is no longer current. */
export const preconditionFailed = () => new Problem('preconditionFailed')

/** Another request changed the record first: a failed precondition if the caller named a version, otherwise a conflict. */
export const changedMeanwhile = (expected: number | undefined) =>
  expected === undefined ? conflict() : preconditionFailed()

/** A refusal with a code that only one resource has, such as that of a sign id in use. */
export const refused = (code: Code, args: MessageArgs = {}) =>
  new Problem('business', { messages: [{ code, args }] })

export const notFound = (message?: Message) =>
  new Problem('notFound', { messages: message ? [message] : none })

/** The client went away, so nobody reads this response. */
export const clientGone = () => new Problem('requestTimeout')

export const bodyInvalid = (details: readonly CodedMessage[]) => new Problem('bodyInvalid', { details })

export const httpSyntax = (detail: Detail) => new Problem('httpSyntax', { details: [detail] })

export const bodyUnreadable = (detail: Detail) => new Problem('bodyUnreadable', { details: [detail] })

/** The value is not one of the allowed values. */
export const notOneOf = (
  target: string,
  allowed: readonly string[],
  wording: MessageName = 'Pattern.oneOf',
): Detail => ({ code: 'Pattern', wording, target, args: { allowed: allowed.join(', ') } })

export const notInCodeList = (target: string, codeList: string, allowed: readonly string[]): Detail => ({
  code: 'ExistInCodeList',
  target,
  args: { codeList },
  allowed,
})

export const parametersInvalid = (details: readonly Detail[]) => new Problem('parametersInvalid', { details })

/** Usually nothing was written. Only a COMMIT without an answer may have been carried out. The same request may succeed later. */
export const storageUnavailable = (cause: unknown, retryAfterSeconds = 1) =>
  new Problem('storageUnavailable', { cause, headers: { 'Retry-After': String(retryAfterSeconds) } })

export const overloaded = (retryAfterSeconds = 1) =>
  new Problem('overloaded', { headers: { 'Retry-After': String(retryAfterSeconds) } })
