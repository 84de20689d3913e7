import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { mayGrant } from '#access/policy.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Declaration, StoredRecord } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import type { Action, RuleContext } from '#resources/rule.ts'
import type { Transaction } from '#sql/database.ts'
import type { StoredRow } from './storage.ts'
import { changedByRule } from './values.ts'

type Reader = Pick<Transaction, 'read'>

/** Finds a record of a resource within a transaction. */
export type FindIn = (tx: Reader, resource: string, id: string) => Promise<StoredRow | undefined>

type Where = Readonly<Record<string, unknown>>

/** Counts the records of a resource with these values within a transaction. */
export type CountIn = (tx: Reader, resource: string, where: Where) => Promise<number>

export interface RecordReader {
  readonly findIn: FindIn
  readonly countIn: CountIn
}

interface RuleParts extends RecordReader, Pick<ResourceContext, 'clock' | 'policy'> {
  readonly declaration: Declaration
}

/** The caller of a change, and its transaction. An action that does not use its context has no transaction. */
interface RuleCall {
  readonly principal: Principal
  readonly tx?: Reader
  readonly action?: string | undefined
}

type Values = Readonly<Record<string, unknown>>

/** The time limit of a rule or action, because on SQLite all other writes wait for its transaction. Shorter than `idleMs`. */
const limitMs = 3_000

/** The rules and actions of a declaration, with a time limit and with their results validated. */
export const rulesOf = ({ declaration, clock, policy, findIn, countIn }: RuleParts) => {
  const { name, rules = {} } = declaration
  const changedFields = changedByRule(declaration)

  const contextOf = ({ principal, tx, action }: RuleCall, ended: AbortSignal): RuleContext => {
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

  const runInTime = async (what: string, at: RuleCall, ask: (context: RuleContext) => unknown) => {
    const ended = new AbortController()
    const answer = ask(contextOf(at, ended.signal))
    if (!isPending(answer)) return answer
    const late = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`${what} of "${name}" has not answered within ${limitMs / 1000} s`)
    })
    return Promise.race([answer, late]).finally(() => ended.abort())
  }
  const run = (...asked: Parameters<typeof runInTime>) =>
    runInTime(...asked).catch((thrown: unknown) => {
      throw asError(asked[0], thrown)
    })

  return {
    create:
      rules.create &&
      (async (record: StoredRow, at: RuleCall): Promise<Values> =>
        changedFields(
          await run('the rule "create"', at, (context) =>
            rules.create?.({ ...record } as RuleRecord, context),
          ),
          record,
        )),

    update:
      rules.update &&
      (async (record: StoredRow, before: StoredRow, at: RuleCall): Promise<Values> =>
        changedFields(
          await run('the rule "update"', at, (context) =>
            rules.update?.(record as RuleRecord, before as RuleRecord, context),
          ),
          before,
        )),

    delete:
      rules.delete &&
      ((record: StoredRow, at: RuleCall) =>
        run('the rule "delete"', at, (context) => rules.delete?.(record as RuleRecord, context))),

    act: async (action: Pick<Action<RuleRecord>, 'does'>, record: StoredRow, at: RuleCall): Promise<Values> =>
      changedFields(
        await run('an action', at, (context) => action.does(record as RuleRecord, context)),
        record,
      ),
  }
}

type Named = string | { readonly name: string }
const nameOf = (resource: Named) => (typeof resource === 'string' ? resource : resource.name)

export type RuleRecord = StoredRecord

export const callerOf = ({ kind, name, id }: Principal) => ({ kind, name, ...(id !== undefined && { id }) })

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer

/** A rule may throw any value. The log needs an Error that it can add properties to. */
const asError = (what: string, thrown: unknown) =>
  thrown instanceof Problem || (thrown instanceof Error && Object.isExtensible(thrown))
    ? thrown
    : new Error(`${what} has thrown ${inspect(thrown)}`)
