import type { Clock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { Nullable, StoredText, Whole } from '#core/schema.ts'
import { type AnswerStore, keyInUse, type StoredAnswer } from '#http/api/idempotency.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { key, lookup, sql } from '#sql/query.ts'
import { table } from '#sql/table.ts'
import { subjectOf } from './change-log.ts'
import { type Sweepable, sweepExpired } from './sweep.ts'

export const answerTable = table({
  name: 'kept_answer',
  key: 'scope',
  fields: {
    scope: StoredText,
    fingerprint: StoredText,
    status: Whole(0),
    headers: StoredText,
    body: StoredText,
    expiresAt: Whole(0),
    subject: Nullable(StoredText),
  },
  immutable: ['fingerprint', 'expiresAt'],
  addedLater: ['subject'],
})

const answerLifetimeMs = 24 * 60 * 60 * 1000

/** Stores answers for repeated requests in the same database as the writes that they report. */
export const answerStore = (db: Database, clock: Clock): AnswerStore & Sweepable => ({
  async find(scope) {
    const found = await db.find(answerByScope(scope), toStoredAnswer)
    return found && found.expiresAt > clock.now() ? found : undefined
  },

  async store({ keyId, fingerprint, actor, subject }, work) {
    try {
      return await db.unit(async (unit) => {
        const now = clock.now()
        const newClaim = { scope: keyId, fingerprint, now, expiresAt: now + answerLifetimeMs }
        unit.beforeFirstWrite((tx) => claimKey(tx, newClaim))
        const from = actor.pendingChanges.length
        const answer = await work()
        const changed = actor.pendingChanges.slice(from).map((change) => change.subject)
        const subjects = subject === undefined ? changed : [subject, ...changed]
        unit.beforeCommit((tx) => storeAnswer(tx, { ...newClaim, subject: subjectOf(subjects) }, answer))
        return answer
      })
    } catch (error) {
      if (error instanceof KeyTaken) return 'taken'
      throw error
    }
  },

  sweep: (now) =>
    sweepExpired(db, { table: 'kept_answer', keyColumn: 'scope', expiryColumn: 'expires_at' }, now),
})

/** Another request has already stored an answer to this key. */
class KeyTaken extends Error {}

interface Claim {
  readonly scope: string
  readonly fingerprint: string
  readonly now: number
  readonly expiresAt: number
}

/** Reserves the scope. `storeAnswer` adds the answer later in the same transaction. */
const claimKey = async (tx: Transaction, claim: Claim) => {
  const claimed = await insertClaim(tx, claim).catch((error: unknown) => {
    // The wait for the lock timed out. The request that holds the lock may still succeed and store its answer.
    throw error instanceof Problem && error.kind === 'conflict' ? keyInUse(error.cause) : error
  })
  if (claimed === 0) throw new KeyTaken()
}

const insertClaim = async (tx: Transaction, { scope, fingerprint, now, expiresAt }: Claim) => {
  await tx.run(sql`DELETE FROM kept_answer WHERE scope = ${key(scope)} AND expires_at <= ${now}`)
  const claimed = { scope, fingerprint, expiresAt, status: 0, headers: '', body: '', subject: null }
  return tx.run(sql`${answerTable.insert(claimed)} ON CONFLICT DO NOTHING`)
}

const storeAnswer = async (
  tx: Transaction,
  { scope, fingerprint, expiresAt, subject }: Claim & { readonly subject: string | null },
  { status, headers, body }: StoredAnswer,
) => {
  const kept = { scope, fingerprint, expiresAt, subject, status, headers: JSON.stringify(headers), body }
  await tx.run(answerTable.update(kept))
}

const answerByScope = lookup({ select: 'SELECT *', from: 'kept_answer', key: 'scope' })

const toStoredAnswer = (row: Row) => ({
  fingerprint: String(row.fingerprint),
  expiresAt: Number(row.expires_at),
  answer: { status: Number(row.status), headers: JSON.parse(String(row.headers)), body: String(row.body) },
})
