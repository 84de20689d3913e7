import type { Clock } from '#core/clock.ts'
import type { Writer } from '#http/message/representation/writer.ts'
import type { AnswerProblem } from '#http/wire/answer.ts'
import type { Changes } from './change.ts'
import type { Cursors } from './cursor.ts'
import type { Streams } from './event-stream.ts'
import type { Idempotency } from './idempotency.ts'
import type { BodyReaders } from './mutation-body.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Route } from './routes.ts'
import type { TagStates } from './tag-state.ts'

/** The routes of one version of the API, and everything that they need to answer. */
export interface ApiContext {
  /** The prefix of all paths, such as `/api/v1`. */
  readonly prefix: string
  readonly routes: readonly Route[]
  readonly writer: Writer
  readonly tagStateOf: TagStates
  readonly bodyReaderFor: BodyReaders
  readonly bodyLimitBytes: number
  readonly pageSizeMax: number
  /** True if requests must name a version at the routes that can require it. */
  readonly requiresVersion: boolean
  readonly idempotency: Idempotency
  readonly cursors: Cursors
  readonly changes: Changes
  readonly streams: Streams
  readonly clock: Clock
  /** The time zone of dates in filters. */
  readonly timeZone: string
  /** A token that changes whenever anything in the database changes. */
  readonly commitToken: () => Promise<string>
  /** Limits the requests of each caller. Undefined if no limit is set. */
  readonly rateLimit: RateLimit | undefined
  readonly answerProblem: AnswerProblem
  /** Commits everything that the work writes, or nothing. A unit within a unit can fail alone. */
  readonly unit: <T>(work: (unit: BatchUnit) => Promise<T>) => Promise<T>
}

interface BatchUnit {
  /** Sets work that runs in the open transaction, before its first write. */
  beforeFirstWrite(work: () => Promise<void>): void
}
