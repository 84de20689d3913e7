import type { Problem } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'
import type { HeaderList } from './headers.ts'

/** An answer to the caller, without the header fields that every answer has. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** The Content-Security-Policy of a page. Without one, browsers load nothing from the answer. */
  readonly contentSecurityPolicy?: string
  readonly body?: string | Buffer | AsyncIterable<string | Buffer>
}

/** Answers one request, or throws a `Problem`. */
export type Responder = (exchange: Exchange) => Promise<Answer>

/** The known details of a refused request: only a few if the parser refused it. */
export interface RefusedRequest {
  readonly track: string
  readonly path: string
  readonly suffix?: string | undefined
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
  readonly origin?: string | undefined
}

export type AnswerProblem = (problem: Problem, refused: RefusedRequest) => Answer
