import { laterThan } from '#core/clock.ts'
import { changedMeanwhile, conflict, type Detail, notFound, preconditionFailed } from '#core/problem.ts'
import { startingOf } from '#core/schema.ts'
import type { Actor } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Call } from '#http/api/routes.ts'
import type { Declaration, OpenedParts, ShippedParts } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { readDeletedRecord } from '#resources/restored.ts'
import type { Action } from '#resources/rule.ts'
import type { Lists } from '#sql/listing.ts'
import { callerOf, type RecordReader, type RuleRecord, rulesOf } from './rules.ts'
import { type StoredRow, storedFields } from './storage.ts'
import type { RecordStore, Revise } from './store.ts'
import { isSame, timeParser } from './values.ts'

interface ServiceParts<F>
  extends RecordReader,
    Pick<ResourceContext, 'clock' | 'newId' | 'policy' | 'changes' | 'cursors'> {
  readonly declaration: Declaration
  readonly shipped: ShippedParts
  readonly store: RecordStore<F>
  readonly opened: Pick<OpenedParts<RuleRecord>, 'prepareCreation' | 'addComputed'>
}

type ChangeCall = Pick<Call, 'principal' | 'expected' | 'actor'>

/** The caller of a creation, and the id of the record if the caller chooses it. */
type Creating = Pick<Call, 'principal' | 'actor'> & { readonly id?: string | undefined }

type Body = Readonly<Record<string, unknown>>

/** How often an action is tried while other requests keep changing its record. */
const maxRaces = 100

export const recordService = <F>(parts: ServiceParts<F>) => {
  const { declaration, shipped, store, clock, newId, changes, cursors, opened } = parts
  const { name, fields } = declaration
  const rules = rulesOf(parts)
  const hasLastModified = storedFields(declaration, shipped).lastModifiedAt !== undefined
  const parseTimes = timeParser(fields)

  const alwaysStarting = Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) =>
      'always' in schema ? [[field, startingOf(schema)]] : [],
    ),
  )

  /** The record as answers show it, after it was written. */
  const asShown = async (record: StoredRow) =>
    shipped.storageFields || shipped.joinedFields ? find(String(record[`${name}Id`])) : record

  const addComputed = opened.addComputed as ((record: StoredRow) => Promise<StoredRow>) | undefined

  const requireRecord = async (id: string): Promise<StoredRow> => {
    const record = await store.find(id)
    if (!record) throw notFound() // decision 0003
    return record
  }

  const find = addComputed ? async (id: string) => addComputed(await requireRecord(id)) : requireRecord

  /** The next version of a record with these values, or the record itself if they are equal. */
  const nextVersion = (before: StoredRow, values: Body): StoredRow => {
    const changed = Object.entries(values).filter(
      ([field, value]) => field in fields && !isSame(value, before[field]),
    )
    return changed.length === 0 ? before : versionAfter(before, { ...before, ...Object.fromEntries(changed) })
  }

  const versionAfter = (before: StoredRow, values: StoredRow) => {
    const next = { ...values }
    if (hasLastModified) Object.assign(next, { lastModifiedAt: laterThan(before.lastModifiedAt, clock) })
    return { ...next, version: before.version + 1 }
  }

  const createRule = (principal: Principal): Revise | undefined =>
    rules.create && (async (given, tx) => ({ ...given, ...(await rules.create?.(given, { principal, tx })) }))

  const requireVersion = (record: StoredRow, expected: number | undefined) => {
    if (expected !== undefined && record.version !== expected) throw preconditionFailed()
  }

  const orThrow = (outcome: StoredRow | readonly Detail[]): StoredRow => {
    if (!isDetails(outcome)) return outcome
    throw outcome.length === 0 ? conflict() : conflict(undefined, outcome)
  }

  /** Changes a record in one transaction, so that it cannot change between its rules and the write. */
  const change = async (id: string, { expected, actor }: ChangeCall, revise: Revise): Promise<StoredRow> => {
    const reviseExpected: Revise = (before, tx) => {
      requireVersion(before, expected)
      return revise(before, tx)
    }
    const outcome = await store.change(id, reviseExpected, actor)
    if (!outcome) throw notFound()
    return orThrow(outcome)
  }

  const replace = async (before: StoredRow, next: StoredRow, actor: Actor) => {
    const changed = Object.keys(fields).filter((field) => !isSame(next[field], before[field]))
    return store.replace(next, changed, actor)
  }

  /** Repeating an action changes nothing, so a request whose answer was lost can safely be sent again (decision 0002). */
  const retryAct = async (id: string, action: ActionCall, { expected, principal, actor }: ChangeCall) => {
    for (let races = 0; races < maxRaces; races++) {
      const before = await find(id)
      requireVersion(before, expected)
      const next = nextVersion(before, await rules.act(action, before, { principal }))
      const outcome = next === before ? before : await replace(before, next, actor)
      if (outcome) return orThrow(outcome)
    }
    throw conflict()
  }

  return {
    ...(addComputed
      ? computedLists(store, addComputed)
      : { page: store.page, slice: store.slice, stream: store.stream }),
    find,

    async create(body: Body, { principal, actor, id = newId() }: Creating): Promise<StoredRow> {
      const now = clock.now()
      const secret = shipped.secret?.generate()
      const record = {
        [`${name}Id`]: id,
        ...alwaysStarting,
        ...parseTimes(body),
        createdAt: now,
        ...(hasLastModified && { lastModifiedAt: now }),
        ...shipped.initialValues?.(callerOf(principal)),
        version: 1,
      } as StoredRow
      const whole =
        secret === undefined
          ? record
          : { ...record, ...shipped.secret?.toStored({ secret, now, record, cursors }) }
      const within = {
        revise: createRule(principal),
        afterInsert: opened.prepareCreation && (await opened.prepareCreation(record as RuleRecord)),
      }
      const made = await asShown(orThrow(await store.insert(whole, actor, within)))
      return secret === undefined ? made : { ...made, secret }
    },

    /** Runs the rule for updates first, because only those who may create such a record may see its secret. */
    async renewSecret(id: string, asked: ChangeCall): Promise<StoredRow> {
      const secret = shipped.secret?.generate() ?? ''
      const renewed = await change(id, asked, async (before, tx) => {
        // A copy, because a rule may take the same object to mean that nothing changes.
        await rules.update?.({ ...before }, before, { principal: asked.principal, tx })
        const kept = shipped.secret?.toStored({ secret, now: clock.now(), record: before, cursors })
        return versionAfter(before, { ...before, ...kept })
      })
      return { ...(await asShown(renewed)), secret }
    },

    /** Creates a deleted record again with its id, if the rule for creations and its references allow it. */
    async restore(id: string, { principal, actor }: ChangeCall): Promise<StoredRow> {
      const deleted = await readDeletedRecord<StoredRow>(changes, { resource: name, id, fields, find })
      const record = hasLastModified
        ? { ...deleted, lastModifiedAt: laterThan(deleted.lastModifiedAt, clock) }
        : deleted
      return orThrow(await store.insert(record, actor, { revise: createRule(principal) ?? unchanged }))
    },

    async update(id: string, body: Body, asked: ChangeCall): Promise<StoredRow> {
      const values = parseTimes(body)
      if (rules.update) {
        const ended = await change(id, asked, async (before, tx) => {
          const at = { principal: asked.principal, tx }
          return nextVersion(before, (await rules.update?.(nextVersion(before, values), before, at)) ?? {})
        })
        return asShown(ended)
      }
      const before = await find(id)
      requireVersion(before, asked.expected)
      const next = nextVersion(before, values)
      if (next === before) return before
      const outcome = await replace(before, next, asked.actor)
      if (!outcome) throw changedMeanwhile(asked.expected)
      return orThrow(outcome)
    },

    /**
     * Performs an action. An action that does not use its context depends on the record alone, so it is tried again if another
     * request changes the record first. Any other action runs in a transaction, so that nothing changes meanwhile.
     */
    async act(id: string, action: ActionCall, asked: ChangeCall): Promise<StoredRow> {
      if (action.does.length < 2 && !rules.update) return retryAct(id, action, asked)
      return change(id, asked, async (before, tx) => {
        const at = { principal: asked.principal, tx, action: action.name }
        const wanted = nextVersion(before, await rules.act(action, before, at))
        if (!rules.update || wanted === before) return wanted
        return nextVersion(before, await rules.update(wanted, before, at))
      })
    },

    async remove(id: string, asked: ChangeCall): Promise<undefined> {
      const revise: Revise | undefined =
        rules.delete &&
        (async (record, tx) => {
          await rules.delete?.(record, { principal: asked.principal, tx })
          return record
        })
      if (await store.remove(id, asked, revise)) return
      await find(id)
      throw changedMeanwhile(asked.expected)
    },
  }
}

type ActionCall = Pick<Action<RuleRecord>, 'does'> & { readonly name?: string }

export type RecordService = ReturnType<typeof recordService>

/** Lists with the computed fields. */
const computedLists = <F>(
  { page, slice, stream }: Lists<StoredRow, F>,
  shown: (record: StoredRow) => Promise<StoredRow>,
): Lists<StoredRow, F> => {
  const all = (records: readonly StoredRow[]) => Promise.all(records.map(shown))
  return {
    async page(filter, request) {
      const found = await page(filter, request)
      return { ...found, content: await all(found.content) }
    },
    async slice(filter, request) {
      const found = await slice(filter, request)
      return { ...found, content: await all(found.content) }
    },
    async *stream(filter) {
      for await (const batch of stream(filter)) yield await all(batch)
    },
  }
}

const unchanged: Revise = (record) => record

const isDetails = (outcome: StoredRow | readonly Detail[]): outcome is readonly Detail[] =>
  Array.isArray(outcome)
