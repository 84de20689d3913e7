import type { DetailCode, MessageName, RefusalCode } from './messages.ts'
import type { AnyText, Code } from './words.ts'

/** The kinds of refusal (decision 0010), each with the code that its messages get if they have none of their own. */
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

export type Kind = keyof typeof codeOfKind

export type Args = Readonly<Record<string, string | number>>

/** A message, given by its code or its text. */
export interface Message {
  readonly code?: Code
  readonly args?: Args
  readonly text?: AnyText
  readonly target?: string
  /** If the value is not in a code list: the codes of that list. */
  readonly allowed?: readonly string[]
}

/** A message with its code resolved. */
export interface ResolvedMessage extends Message {
  readonly code: Code
  /** The name of a more exact wording than that of the code. */
  readonly wording?: MessageName
}

/** A detail in the service's own wording. */
export interface Detail extends ResolvedMessage {
  readonly code: DetailCode
}

interface ProblemParts {
  readonly messages?: readonly Message[]
  /** One detail per failing field. They are listed under the root code even if there is only one. */
  readonly details?: readonly ResolvedMessage[]
  /** Header fields of the refusal, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/**
 * A refusal, thrown anywhere and answered at the edge. It implements Error without extending it: nothing went wrong here, and
 * recording a stack would cost more than the response.
 */
export class Problem implements Error {
  readonly name = 'Problem'
  readonly kind: Kind
  readonly headers: Readonly<Record<string, string>>
  /** The error behind the refusal, if there is one. Only the log shows it. */
  readonly cause: unknown
  readonly #messages: readonly Message[]
  readonly #details: readonly ResolvedMessage[]

  constructor(
    kind: Kind,
    { messages = none, details = none, headers = noHeaders, cause }: ProblemParts = {},
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

  /** A single message becomes the body. Several messages become details under the root code. */
  get resolved(): ResolvedMessage & { readonly details: readonly ResolvedMessage[] } {
    const root = codeOfKind[this.kind]
    const [only, ...others] = this.#messages
    if (only && others.length === 0) return { ...only, code: only.code ?? root, details: this.#details }
    const details = this.#messages.map((message) => ({ ...message, code: message.code ?? root }))
    return { code: root, details: [...details, ...this.#details] }
  }
}

const none: readonly ResolvedMessage[] = []
const noHeaders = {}

/** Another request was faster. The details name the resource that both wanted to change, if it is known. */
export const conflict = (cause?: unknown, details?: readonly Detail[]) =>
  new Problem('conflict', { cause, ...(details && { details }) })

/** The field refers to a missing record of this kind. */
export const referenceMissing = (target: string, what: string): Detail => ({
  code: 'Reference',
  target,
  args: { what },
})

/** A foreign key was violated, by a change of the referring or of the referenced record. */
export const referenceBroken = (cause: unknown) =>
  conflict(cause, [{ code: 'Reference', wording: 'Reference.broken' }])

/** The version that the caller requires is no longer current. */
export const preconditionFailed = () => new Problem('preconditionFailed')

/** Another request was faster: a failed precondition if the caller named a version, otherwise a conflict. */
export const changedMeanwhile = (expected: number | undefined) =>
  expected === undefined ? conflict() : preconditionFailed()

/** The refusal of a resource with this code of its own. */
export const refused = (code: Code, args: Args = {}) =>
  new Problem('business', { messages: [{ code, args }] })

export const notFound = (message?: Message) =>
  new Problem('notFound', { messages: message ? [message] : none })

/** The client went away, so nobody reads this response. */
export const clientGone = () => new Problem('requestTimeout')

export const bodyInvalid = (details: readonly ResolvedMessage[]) => new Problem('bodyInvalid', { details })

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

/** Usually nothing was written. Only if a COMMIT got no answer is that uncertain. The same request may succeed later. */
export const storageUnavailable = (cause: unknown, retryAfterSeconds = 1) =>
  new Problem('storageUnavailable', { cause, headers: { 'Retry-After': String(retryAfterSeconds) } })

export const overloaded = (retryAfterSeconds = 1) =>
  new Problem('overloaded', { headers: { 'Retry-After': String(retryAfterSeconds) } })
