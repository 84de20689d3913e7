import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { canGrant } from '#access/policy.ts'
import { Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Declaration, StoredRecord } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import type { Action, RuleContext } from '#resources/rule.ts'
import type { Transaction } from '#sql/database.ts'
import type { StoredRow } from './storage.ts'
import { changedValuesReader } from './values.ts'

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

interface RulesContext extends RecordReader, Pick<ResourceContext, 'clock' | 'policy'> {
  readonly declaration: Declaration
}

/** The caller and the transaction of a change. An action whose function takes no context has no transaction. */
interface RuleCall {
  readonly principal: Principal
  readonly tx?: Reader
  readonly action?: string | undefined
}

type Values = Readonly<Record<string, unknown>>

/** The time limit for a rule or action. On SQLite, all other writes wait for its transaction, which may be idle for 5 s. */
const limitMs = 3_000

/** The rules and actions of a declaration, with a time limit and with validation of their results. */
export const rulesOf = ({ declaration, clock, policy, findIn, countIn }: RulesContext) => {
  const { name, rules = {} } = declaration
  const changedValues = changedValuesReader(declaration)

  const contextOf = ({ principal, tx, action }: RuleCall, signal: AbortSignal): RuleContext => {
    const reader = () => {
      signal.throwIfAborted()
      if (!tx) throw new TypeError(`an action of "${name}" must declare the context that it uses`)
      return tx
    }
    return {
      now: clock.now(),
      caller: { ...callerIdentity(principal), may: (scope) => canGrant(principal, scope, policy) },
      action,
      find: async (resource: ResourceOrName, id: string) =>
        findIn(reader(), nameOf(resource), id) as Promise<never>,
      count: async (resource: ResourceOrName, where: object) =>
        countIn(reader(), nameOf(resource), where as Where),
    }
  }

  const runWithTimeout = async (what: string, call: RuleCall, invoke: (context: RuleContext) => unknown) => {
    const finished = new AbortController()
    const answer = invoke(contextOf(call, finished.signal))
    if (!isPromise(answer)) return answer
    const timeout = sleep(limitMs, undefined, { signal: finished.signal }).then(() => {
      throw new Error(`${what} of "${name}" has not answered within ${limitMs / 1000} s`)
    })
    return Promise.race([answer, timeout]).finally(() => finished.abort())
  }
  const run = (...args: Parameters<typeof runWithTimeout>) =>
    runWithTimeout(...args).catch((thrown: unknown) => {
      throw asError(args[0], thrown)
    })

  return {
    create:
      rules.create &&
      (async (record: StoredRow, call: RuleCall): Promise<Values> =>
        changedValues(
          await run('the rule "create"', call, (context) =>
            rules.create?.({ ...record } as RuleRecord, context),
          ),
          record,
        )),

    update:
      rules.update &&
      (async (record: StoredRow, before: StoredRow, call: RuleCall): Promise<Values> =>
        changedValues(
          await run('the rule "update"', call, (context) =>
            rules.update?.(record as RuleRecord, before as RuleRecord, context),
          ),
          before,
        )),

    delete:
      rules.delete &&
      ((record: StoredRow, call: RuleCall) =>
        run('the rule "delete"', call, (context) => rules.delete?.(record as RuleRecord, context))),

    act: async (
      action: Pick<Action<RuleRecord>, 'does'>,
      record: StoredRow,
      call: RuleCall,
    ): Promise<Values> =>
      changedValues(
        await run('an action', call, (context) => action.does(record as RuleRecord, context)),
        record,
      ),
  }
}

type ResourceOrName = string | { readonly name: string }
const nameOf = (resource: ResourceOrName) => (typeof resource === 'string' ? resource : resource.name)

export type RuleRecord = StoredRecord

export const callerIdentity = ({ kind, name, id }: Principal) => ({
  kind,
  name,
  ...(id !== undefined && { id }),
})

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer

/** A rule may throw any value, but the log needs an Error to which it can add properties. */
const asError = (what: string, thrown: unknown) =>
  thrown instanceof Problem || (thrown instanceof Error && Object.isExtensible(thrown))
    ? thrown
    : new Error(`${what} has thrown ${inspect(thrown)}`)
