import { laterThan } from '#core/clock.ts'
import { changedMeanwhile, conflict, type Detail, notFound, preconditionFailed } from '#core/problem.ts'
import { startingValueOf } from '#core/schema.ts'
import type { Actor } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { RouteCall } from '#http/api/routes.ts'
import type { Declaration, OpenedParts, ShippedParts } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { firstVersionOf, readDeletedRecord } from '#resources/restored.ts'
import type { Action } from '#resources/rule.ts'
import type { Lists } from '#sql/listing.ts'
import { callerIdentity, type RecordReader, type RuleRecord, rulesOf } from './rules.ts'
import { type StoredRow, visibleFields } from './storage.ts'
import type { RecordStore, Revise } from './store.ts'
import { isSame, timeParser } from './values.ts'

interface ServiceContext<F>
  extends RecordReader,
    Pick<ResourceContext, 'clock' | 'newId' | 'policy' | 'changes' | 'cursors'> {
  readonly declaration: Declaration
  readonly shipped: ShippedParts
  readonly store: RecordStore<F>
  readonly opened: Pick<OpenedParts<RuleRecord>, 'prepareCreation' | 'addComputed'>
}

type ChangeCall = Pick<RouteCall, 'principal' | 'expectedVersion' | 'actor'>

/** The caller of a creation, and the id of the new record if the caller has chosen it. */
type CreateCall = Pick<RouteCall, 'principal' | 'actor'> & { readonly id?: string | undefined }

type Body = Readonly<Record<string, unknown>>

/** The maximum number of attempts of an action while other requests keep changing its record. */
const maxAttempts = 100

export const recordService = <F>(context: ServiceContext<F>) => {
  const { declaration, shipped, store, clock, newId, changes, cursors, opened } = context
  const { name, fields } = declaration
  const rules = rulesOf(context)
  const hasLastModified = visibleFields(declaration, shipped).lastModifiedAt !== undefined
  const parseTimes = timeParser(fields)

  const fixedStartingValues = Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) =>
      'always' in schema ? [[field, startingValueOf(schema)]] : [],
    ),
  )

  /** Reads a written record again if answers show it in another form than the stored one. */
  const toAnswer = async (record: StoredRow) =>
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
    const changedValues = Object.entries(values).filter(
      ([field, value]) => field in fields && !isSame(value, before[field]),
    )
    return changedValues.length === 0
      ? before
      : versionAfter(before, { ...before, ...Object.fromEntries(changedValues) })
  }

  const versionAfter = (before: StoredRow, values: StoredRow) => {
    const next = { ...values }
    if (hasLastModified) Object.assign(next, { lastModifiedAt: laterThan(before.lastModifiedAt, clock) })
    return { ...next, version: before.version + 1 }
  }

  const creationRule = (principal: Principal): Revise | undefined =>
    rules.create &&
    (async (record, tx) => ({ ...record, ...(await rules.create?.(record, { principal, tx })) }))

  const requireVersion = (record: StoredRow, expected: number | undefined) => {
    if (expected !== undefined && record.version !== expected) throw preconditionFailed()
  }

  const recordOrThrow = (outcome: StoredRow | readonly Detail[]): StoredRow => {
    if (!isDetails(outcome)) return outcome
    throw outcome.length === 0 ? conflict() : conflict(undefined, outcome)
  }

  /** Reads, revises and writes a record in one transaction, so that no other request changes it meanwhile. */
  const change = async (id: string, call: ChangeCall, revise: Revise): Promise<StoredRow> => {
    const reviseExpected: Revise = (before, tx) => {
      requireVersion(before, call.expectedVersion)
      return revise(before, tx)
    }
    const outcome = await store.change(id, reviseExpected, call.actor)
    if (!outcome) throw notFound()
    return recordOrThrow(outcome)
  }

  const replace = async (before: StoredRow, next: StoredRow, actor: Actor) => {
    const changed = Object.keys(fields).filter((field) => !isSame(next[field], before[field]))
    return store.replace(next, changed, actor)
  }

  /** Tries again if another request changes the record first. If the action changes nothing, there is no new version (decision 0002). */
  const actWithoutTransaction = async (id: string, action: ActionCall, call: ChangeCall) => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await find(id)
      requireVersion(before, call.expectedVersion)
      const next = nextVersion(before, await rules.act(action, before, call))
      const outcome = next === before ? before : await replace(before, next, call.actor)
      if (outcome) return recordOrThrow(outcome)
    }
    throw conflict()
  }

  return {
    ...(addComputed
      ? computedLists(store, addComputed)
      : { page: store.page, slice: store.slice, stream: store.stream }),
    find,

    async create(body: Body, { principal, actor, id }: CreateCall): Promise<StoredRow> {
      const now = clock.now()
      const secret = shipped.secret?.generate()
      const record = {
        [`${name}Id`]: id ?? newId(),
        ...fixedStartingValues,
        ...parseTimes(body),
        createdAt: now,
        ...(hasLastModified && { lastModifiedAt: now }),
        ...shipped.initialValues?.(callerIdentity(principal)),
        version: await firstVersionOf(context, { id, principal }),
      } as StoredRow
      const stored =
        secret === undefined
          ? record
          : { ...record, ...shipped.secret?.toStored({ secret, now, record, cursors }) }
      const transactionWork = {
        revise: creationRule(principal),
        afterInsert: opened.prepareCreation && (await opened.prepareCreation(record as RuleRecord)),
      }
      const created = await toAnswer(recordOrThrow(await store.insert(stored, actor, transactionWork)))
      return secret === undefined ? created : { ...created, secret }
    },

    /** Runs the rule for updates first: who may not have such a record may not get its secret, and is refused by this rule. */
    async renewSecret(id: string, call: ChangeCall): Promise<StoredRow> {
      const secret = shipped.secret?.generate() ?? ''
      const renewed = await change(id, call, async (before, tx) => {
        // The rule gets a copy, because it may compare both objects to find out whether anything changes.
        await rules.update?.({ ...before }, before, { principal: call.principal, tx })
        const storedSecret = shipped.secret?.toStored({ secret, now: clock.now(), record: before, cursors })
        return versionAfter(before, { ...before, ...storedSecret })
      })
      return { ...(await toAnswer(renewed)), secret }
    },

    /** Creates a deleted record again with the same id, if the rule for creations allows it and the referenced records exist. */
    async restore(id: string, { principal, actor }: ChangeCall): Promise<StoredRow> {
      const deleted = await readDeletedRecord<StoredRow>(changes, { resource: name, id, fields, find })
      const record = hasLastModified
        ? { ...deleted, lastModifiedAt: laterThan(deleted.lastModifiedAt, clock) }
        : deleted
      return recordOrThrow(await store.insert(record, actor, { revise: creationRule(principal) ?? keepAsIs }))
    },

    async update(id: string, body: Body, call: ChangeCall): Promise<StoredRow> {
      const values = parseTimes(body)
      if (rules.update) {
        const updated = await change(id, call, async (before, tx) => {
          const ruleCall = { principal: call.principal, tx }
          return nextVersion(
            before,
            (await rules.update?.(nextVersion(before, values), before, ruleCall)) ?? {},
          )
        })
        return toAnswer(updated)
      }
      const before = await find(id)
      requireVersion(before, call.expectedVersion)
      const next = nextVersion(before, values)
      if (next === before) return before
      const outcome = await replace(before, next, call.actor)
      if (!outcome) throw changedMeanwhile(call.expectedVersion)
      return recordOrThrow(outcome)
    },

    /**
     * If the function of the action takes no context, its result depends only on the record, so it needs no transaction. Any other
     * action runs in a transaction, so that nothing that it reads changes meanwhile.
     */
    async act(id: string, action: ActionCall, call: ChangeCall): Promise<StoredRow> {
      if (action.does.length < 2 && !rules.update) return actWithoutTransaction(id, action, call)
      return change(id, call, async (before, tx) => {
        const ruleCall = { principal: call.principal, tx, action: action.name }
        const afterAction = nextVersion(before, await rules.act(action, before, ruleCall))
        if (!rules.update || afterAction === before) return afterAction
        return nextVersion(before, await rules.update(afterAction, before, ruleCall))
      })
    },

    async remove(id: string, call: ChangeCall): Promise<undefined> {
      const revise: Revise | undefined =
        rules.delete &&
        (async (record, tx) => {
          await rules.delete?.(record, { principal: call.principal, tx })
          return record
        })
      if (await store.remove(id, call, revise)) return
      await find(id)
      throw changedMeanwhile(call.expectedVersion)
    },
  }
}

type ActionCall = Pick<Action<RuleRecord>, 'does'> & { readonly name?: string }

export type RecordService = ReturnType<typeof recordService>

/** Adds the computed fields to the records of lists. */
const computedLists = <F>(
  { page, slice, stream }: Lists<StoredRow, F>,
  addComputed: (record: StoredRow) => Promise<StoredRow>,
): Lists<StoredRow, F> => {
  const addToAll = (records: readonly StoredRow[]) => Promise.all(records.map(addComputed))
  return {
    async page(filter, request) {
      const found = await page(filter, request)
      return { ...found, content: await addToAll(found.content) }
    },
    async slice(filter, request) {
      const found = await slice(filter, request)
      return { ...found, content: await addToAll(found.content) }
    },
    async *stream(filter) {
      for await (const batch of stream(filter)) yield await addToAll(batch)
    },
  }
}

const keepAsIs: Revise = (record) => record

const isDetails = (outcome: StoredRow | readonly Detail[]): outcome is readonly Detail[] =>
  Array.isArray(outcome)
