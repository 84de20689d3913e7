import { after, type Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { changedMeanwhile, conflict, type Detail, notFound, preconditionFailed } from '#core/problem.ts'
import { startingOf } from '#core/schema.ts'
import type { Principal } from '#http/api/guard.ts'
import type { Action, Declaration, RuleContext, StoredRecord } from '#resources/declaration.ts'
import { importedInstant } from '#resources/imported.ts'
import type { Transaction } from '#sql/database.ts'
import type { Value } from '#sql/query.ts'
import { isValid } from '#sql/records.ts'
import { type Keywords, type Own, type StoredRow, storedFields } from './storage.ts'
import type { Judge, RecordStore } from './store.ts'

interface ServiceParts<F> {
  readonly declaration: Declaration
  readonly own: Own
  readonly store: RecordStore<F>
  readonly clock: Clock
  readonly newId: NewId
  /** Finds a record of a resource, as a transaction sees it. */
  readonly findIn: FindIn
}

export type FindIn = (
  tx: Pick<Transaction, 'read'>,
  resource: string,
  id: string,
) => Promise<StoredRow | undefined>

/** Who changes a record, and which version of it. */
interface Asked {
  readonly principal: Principal
  readonly expected: number | undefined
}

type Body = Readonly<Record<string, unknown>>

/** How often an action is tried when other requests keep changing its record. */
const maxRaces = 100

/** What is done with the records of a declared resource. */
export const recordService = <F>({ declaration, own, store, clock, newId, findIn }: ServiceParts<F>) => {
  const { name, fields, rules = {}, actions = {} } = declaration
  const isDated = storedFields(declaration, own).lastModifiedAt !== undefined
  const received = receiverOf(fields as Readonly<Record<string, Keywords>>)

  /** What a creation does not say. */
  const starting = Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) =>
      'always' in schema ? [[field, startingOf(schema)]] : [],
    ),
  )

  const find = async (id: string): Promise<StoredRow> => {
    const record = await store.find(id)
    if (!record) throw notFound() // decision 0003
    return record
  }

  const contextOf = ({ kind, name, id }: Principal, tx: Pick<Transaction, 'read'>): RuleContext => ({
    now: clock.now(),
    caller: { kind, name, ...(id !== undefined && { id }) },
    find: (resource, id) => findIn(tx, resource, id),
  })

  /** The next version of a record with these values; itself if they are the same. */
  const nextOf = (before: StoredRow, values: Body): StoredRow => {
    const next: Record<string, unknown> & StoredRow = { ...before }
    for (const field of Object.keys(fields)) if (field in values) next[field] = values[field] as never
    if (Object.keys(fields).every((field) => next[field] === before[field])) return before
    if (isDated) Object.assign(next, { lastModifiedAt: after(before.lastModifiedAt, clock) })
    return { ...next, version: before.version + 1 }
  }

  /** What a rule returned, held against the kinds of the fields: a faulty rule stores nothing. */
  const chosen = (returned: unknown): Body => {
    if (typeof returned !== 'object' || returned === null)
      throw new TypeError(`a rule or action of "${name}" returned no record`)
    const values = returned as Body
    for (const [field, schema] of Object.entries(fields as Readonly<Record<string, Keywords>>)) {
      const value = values[field]
      if (!isOfKind(schema, value) || !isValid(schema, value))
        throw new TypeError(`a rule or action of "${name}" returned "${field}" of the wrong kind`)
    }
    return Object.fromEntries(Object.keys(fields).map((field) => [field, values[field]]))
  }

  const requireVersion = (record: StoredRow, expected: number | undefined) => {
    if (expected !== undefined && record.version !== expected) throw preconditionFailed()
  }

  const stored = (outcome: StoredRow | readonly Detail[]): StoredRow => {
    if (!isDetails(outcome)) return outcome
    throw outcome.length === 0 ? conflict() : conflict(undefined, outcome)
  }

  /** Judges a change in its transaction, where the record cannot change meanwhile. */
  const judged = async (id: string, { expected }: Asked, judge: Judge): Promise<StoredRow> => {
    const outcome = await store.change(id, async (before, tx) => {
      requireVersion(before, expected)
      return judge(before, tx)
    })
    if (!outcome) throw notFound()
    return stored(outcome)
  }

  const replaced = async (before: StoredRow, next: StoredRow) => {
    const changed = Object.keys(fields).filter((field) => next[field] !== before[field])
    return store.replace(next, changed)
  }

  /** An action that was done already changes nothing, so a request whose answer was lost can safely be repeated (decision 0002). */
  const retried = async (id: string, action: Pick<Action<Ruled>, 'does'>, expected: number | undefined) => {
    for (let races = 0; races < maxRaces; races++) {
      const before = await find(id)
      requireVersion(before, expected)
      const next = nextOf(before, chosen(await (action.does as (record: Ruled) => unknown)(before as Ruled)))
      const outcome = next === before ? before : await replaced(before, next)
      if (outcome) return stored(outcome)
    }
    throw conflict()
  }

  return {
    page: store.page,
    slice: store.slice,
    stream: store.stream,
    find,

    async create(body: Body, principal: Principal, id = newId()): Promise<StoredRow> {
      const now = clock.now()
      const record = {
        [`${name}Id`]: id,
        ...starting,
        ...received(body),
        createdAt: now,
        ...(isDated && { lastModifiedAt: now }),
        version: 1,
      } as StoredRow
      const judge: Judge | undefined =
        rules.create &&
        (async (given, tx) => ({
          ...given,
          ...chosen(await rules.create?.(given as Ruled, contextOf(principal, tx))),
        }))
      return stored(await store.insert(record, judge))
    },

    async update(id: string, body: Body, asked: Asked): Promise<StoredRow> {
      const values = received(body)
      if (rules.update)
        return judged(id, asked, async (before, tx) => {
          const wanted = nextOf(before, values)
          const ruled = await rules.update?.(wanted as Ruled, before as Ruled, contextOf(asked.principal, tx))
          return nextOf(before, chosen(ruled))
        })
      const before = await find(id)
      requireVersion(before, asked.expected)
      const next = nextOf(before, values)
      if (next === before) return before
      const outcome = await replaced(before, next)
      if (!outcome) throw changedMeanwhile(asked.expected)
      return stored(outcome)
    },

    /**
     * Does an action. One that asks nothing of its context depends on the record alone, which is tried again when another
     * request was faster; any other has a transaction in which nothing changes meanwhile.
     */
    async act(id: string, action: Pick<Action<Ruled>, 'does'>, asked: Asked): Promise<StoredRow> {
      if (action.does.length < 2 && !rules.update) return retried(id, action, asked.expected)
      return judged(id, asked, async (before, tx) => {
        const context = contextOf(asked.principal, tx)
        const wanted = nextOf(before, chosen(await action.does(before as Ruled, context)))
        if (!rules.update || wanted === before) return wanted
        return nextOf(before, chosen(await rules.update(wanted as Ruled, before as Ruled, context)))
      })
    },

    async remove(id: string, { principal, expected }: Asked): Promise<undefined> {
      const judge: Judge | undefined =
        rules.delete &&
        (async (record, tx) => {
          await rules.delete?.(record as Ruled, contextOf(principal, tx))
          return record
        })
      if (await store.remove(id, expected, judge)) return
      await find(id)
      throw changedMeanwhile(expected)
    },

    actions: actions as Readonly<Record<string, Action<Ruled>>>,
  }
}

type Ruled = StoredRecord

export type RecordService = ReturnType<typeof recordService>

const isDetails = (outcome: StoredRow | readonly Detail[]): outcome is readonly Detail[] =>
  Array.isArray(outcome)

/** Times come as text, and are stored as milliseconds. */
export const receiverOf = (fields: Readonly<Record<string, Keywords>>) => {
  const times = Object.keys(fields).filter((field) => fields[field]?.zone !== undefined)
  return <B extends Body>(body: B): B => {
    if (times.length === 0) return body
    const read = (field: string) => importedInstant(field, body[field] as string | null) ?? null
    return { ...body, ...Object.fromEntries(times.map((field) => [field, read(field)])) }
  }
}

const isOfKind = ({ type, zone }: Keywords, value: unknown): value is Value => {
  if (value === null) return Array.isArray(type)
  const kind = zone === undefined ? [type].flat()[0] : 'integer'
  if (kind === 'integer') return Number.isSafeInteger(value)
  return typeof value === kind
}
