import type { IncomingMessage } from 'node:http'
import type { Origin } from './origin.ts'
import type { Route } from './routes.ts'

/** Who is asking. The name tells principals apart; it is no secret. */
export interface Principal {
  readonly kind: 'anyone' | 'administrator' | 'member' | 'client'
  readonly name: string
  readonly memberId?: string
  /** What a token says that its bearer may. */
  readonly scopes?: ReadonlySet<string>
}

export interface Admission {
  readonly principal: Principal
  /** The most that may be shown: policy cuts views, routes do not. */
  readonly sees: 'full' | 'reduced'
}

export interface Applicant {
  readonly incoming: IncomingMessage
  readonly address: string
  readonly origin: Origin
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** Lets a request in, or throws what keeps it out. No route is reached without one. */
export type Guard = (applicant: Applicant) => Admission | Promise<Admission>
