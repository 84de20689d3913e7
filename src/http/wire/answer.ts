import type { Problem } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'
import type { HeaderList } from './headers.ts'

/** What goes back to the caller, apart from the fields that every answer has. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** What a page may load. An answer that is not a page may load nothing. */
  readonly contentSecurityPolicy?: string
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>
}

/** Answers one request, or throws why it cannot. */
export type Responder = (exchange: Exchange) => Promise<Answer>

/** What is known of a request that is refused: little, if the parser refused it. */
export interface Refused {
  readonly track: string
  readonly path: string
  readonly suffix?: string | undefined
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
  readonly origin?: string | undefined
}

/** A problem as an answer. */
export type Refuse = (problem: Problem, refused: Refused) => Answer
