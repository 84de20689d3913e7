import type { Writer } from '#http/message/representation/writer.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { BodyReaders } from './change-body.ts'
import type { Cursors } from './cursor.ts'
import { type Changes, cursorField } from './feed.ts'
import type { Idempotency, KeptAnswer, KeyedRequest } from './idempotency.ts'
import type { NameState } from './state-name.ts'
import type { Visit } from './visit.ts'

export interface ChangeRules {
  readonly writer: Writer
  readonly nameState: NameState
  readonly bodyLimitBytes: number
  /** Whether routes that insist on a version are allowed to. */
  readonly insistsOnVersion: boolean
  readonly readerOf: BodyReaders
  readonly idempotency: Idempotency
  readonly cursors: Cursors
  readonly changes: Changes
  /** A token that changes whenever anything in the database changes. */
  readonly state: () => Promise<string>
}

/** A caller is admitted again after anything that took time, such as a body that came late. */
export const admittedAgain = async (visit: Visit, isLate: boolean): Promise<Visit> =>
  isLate ? { ...visit, admission: await visit.admitAgain() } : visit

/** Does the work in the name of its caller, and tells where the log of changes stands after it. */
export const recorded = async (
  { changes, cursors }: ChangeRules,
  visit: Visit,
  work: () => Promise<KeptAnswer>,
): Promise<Answer> => {
  const [answered, position] = await changes.recorded(actorOf(visit), work)
  return { ...answered, headers: [...answered.headers, ...cursorField(cursors, position)] }
}

/** Does the work once, if the request has a key. */
export const once = (
  { idempotency }: ChangeRules,
  request: KeyedRequest | undefined,
  work: () => Promise<KeptAnswer>,
) => (request ? idempotency.once(request, work) : work())

/** Who is named in the log of changes. */
const actorOf = ({ admission: { principal }, exchange }: Visit) => ({
  by: principal.id ?? principal.name,
  track: exchange.track,
})
