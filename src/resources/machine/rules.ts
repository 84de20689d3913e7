import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { mayGrant, type Policy } from '#access/policy.ts'
import type { Clock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Declaration, StoredRecord } from '#resources/declaration.ts'
import type { Action, RuleContext } from '#resources/rule.ts'
import type { Transaction } from '#sql/database.ts'
import type { StoredRow } from './storage.ts'
import { choosing } from './values.ts'

type Reader = Pick<Transaction, 'read'>

/** Finds a record of a resource, as a transaction sees it. */
export type FindIn = (tx: Reader, resource: string, id: string) => Promise<StoredRow | undefined>

type Where = Readonly<Record<string, unknown>>

/** Counts the records of a resource with these values, as a transaction sees them. */
export type CountIn = (tx: Reader, resource: string, where: Where) => Promise<number>

/** How rules look at other records. */
export interface Looking {
  readonly findIn: FindIn
  readonly countIn: CountIn
}

interface RuleParts extends Looking {
  readonly declaration: Declaration
  readonly clock: Clock
  readonly policy: Policy
}

/** The caller of a change, and its transaction. An action that does not use its context has no transaction. */
interface At {
  readonly principal: Principal
  readonly tx?: Reader
  readonly action?: string | undefined
}

type Values = Readonly<Record<string, unknown>>

/** A rule or action holds its transaction, and on SQLite every other writer. Less than a database waits for a transaction that does nothing. */
const limitMs = 3_000

/** The rules and actions of a declaration, each within its time and held against the kinds of the fields. */
export const rulesOf = ({ declaration, clock, policy, findIn, countIn }: RuleParts) => {
  const { name, rules = {} } = declaration
  const chosen = choosing(declaration)

  const contextOf = ({ principal, tx, action }: At, ended: AbortSignal): RuleContext => {
    const reader = () => {
      ended.throwIfAborted()
      if (!tx) throw new TypeError(`an action of "${name}" must declare the context that it uses`)
      return tx
    }
    return {
      now: clock.now(),
      caller: { ...callerOf(principal), may: (scope) => mayGrant(principal, scope, policy) },
      action,
      find: async (resource: Named, id: string) => findIn(reader(), nameOf(resource), id) as Promise<never>,
      count: async (resource: Named, where: object) => countIn(reader(), nameOf(resource), where as Where),
    }
  }

  const inTime = async (what: string, at: At, ask: (context: RuleContext) => unknown) => {
    const ended = new AbortController()
    const answer = ask(contextOf(at, ended.signal))
    if (!isPending(answer)) return answer
    const late = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`${what} of "${name}" has not answered within ${limitMs / 1000} s`)
    })
    return Promise.race([answer, late]).finally(() => ended.abort())
  }
  const answered = (...asked: Parameters<typeof inTime>) =>
    inTime(...asked).catch((thrown: unknown) => {
      throw asError(asked[0], thrown)
    })

  return {
    create:
      rules.create &&
      (async (record: StoredRow, at: At): Promise<Values> =>
        chosen(
          await answered('the rule "create"', at, (context) =>
            rules.create?.({ ...record } as Ruled, context),
          ),
          record,
        )),

    update:
      rules.update &&
      (async (record: StoredRow, before: StoredRow, at: At): Promise<Values> =>
        chosen(
          await answered('the rule "update"', at, (context) =>
            rules.update?.(record as Ruled, before as Ruled, context),
          ),
          before,
        )),

    delete:
      rules.delete &&
      ((record: StoredRow, at: At) =>
        answered('the rule "delete"', at, (context) => rules.delete?.(record as Ruled, context))),

    act: async (action: Pick<Action<Ruled>, 'does'>, record: StoredRow, at: At): Promise<Values> =>
      chosen(await answered('an action', at, (context) => action.does(record as Ruled, context)), record),
  }
}

type Named = string | { readonly name: string }
const nameOf = (resource: Named) => (typeof resource === 'string' ? resource : resource.name)

/** A record as its rules see it. */
export type Ruled = StoredRecord

export const callerOf = ({ kind, name, id }: Principal) => ({ kind, name, ...(id !== undefined && { id }) })

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer

/** A rule may throw anything. The log takes only errors, and marks them. */
const asError = (what: string, thrown: unknown) =>
  thrown instanceof Problem || (thrown instanceof Error && Object.isExtensible(thrown))
    ? thrown
    : new Error(`${what} has thrown ${inspect(thrown)}`)
