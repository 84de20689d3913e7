import { laterThan } from '#core/clock.ts'
import { changedMeanwhile, conflict, type Detail, notFound, preconditionFailed } from '#core/problem.ts'
import { startingOf } from '#core/schema.ts'
import type { Actor } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Call } from '#http/api/routes.ts'
import type { Declaration, Opened } from '#resources/declaration.ts'
import type { RoomContext } from '#resources/resource.ts'
import { deletedRecord } from '#resources/restored.ts'
import type { Action } from '#resources/rule.ts'
import type { Lists } from '#sql/listing.ts'
import { callerOf, type RecordReader, type RuleRecord, rulesOf } from './rules.ts'
import { type Own, type StoredRow, storedFields } from './storage.ts'
import type { Judge, RecordStore } from './store.ts'
import { isSame, receiverOf } from './values.ts'

interface ServiceParts<F>
  extends RecordReader,
    Pick<RoomContext, 'clock' | 'newId' | 'policy' | 'changes' | 'cursors'> {
  readonly declaration: Declaration
  readonly own: Own
  readonly store: RecordStore<F>
  readonly opened: Pick<Opened<RuleRecord>, 'prepareCreation' | 'shown'>
}

type Asked = Pick<Call, 'principal' | 'expected' | 'actor'>

/** The actor of a creation, and the id of the record if it is known. */
type Creating = Pick<Call, 'principal' | 'actor'> & { readonly id?: string | undefined }

type Body = Readonly<Record<string, unknown>>

/** How often an action is tried when other requests keep changing its record. */
const maxRaces = 100

export const recordService = <F>(parts: ServiceParts<F>) => {
  const { declaration, own, store, clock, newId, changes, cursors, opened } = parts
  const { name, fields } = declaration
  const rules = rulesOf(parts)
  const hasLastModified = storedFields(declaration, own).lastModifiedAt !== undefined
  const received = receiverOf(fields)

  const alwaysStarting = Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) =>
      'always' in schema ? [[field, startingOf(schema)]] : [],
    ),
  )

  /** The written record, as it is shown. */
  const found = async (record: StoredRow) =>
    own.stored || own.unversioned ? find(String(record[`${name}Id`])) : record

  const shown = opened.shown as ((record: StoredRow) => Promise<StoredRow>) | undefined

  const known = async (id: string): Promise<StoredRow> => {
    const record = await store.find(id)
    if (!record) throw notFound() // decision 0003
    return record
  }

  const find = shown ? async (id: string) => shown(await known(id)) : known

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

  const creating = (principal: Principal): Judge | undefined =>
    rules.create && (async (given, tx) => ({ ...given, ...(await rules.create?.(given, { principal, tx })) }))

  const requireVersion = (record: StoredRow, expected: number | undefined) => {
    if (expected !== undefined && record.version !== expected) throw preconditionFailed()
  }

  const stored = (outcome: StoredRow | readonly Detail[]): StoredRow => {
    if (!isDetails(outcome)) return outcome
    throw outcome.length === 0 ? conflict() : conflict(undefined, outcome)
  }

  /** Applies rules and conditions within the transaction, where the record cannot change meanwhile. */
  const judged = async (id: string, { expected, actor }: Asked, judge: Judge): Promise<StoredRow> => {
    const judgedVersion: Judge = (before, tx) => {
      requireVersion(before, expected)
      return judge(before, tx)
    }
    const outcome = await store.change(id, judgedVersion, actor)
    if (!outcome) throw notFound()
    return stored(outcome)
  }

  const replaced = async (before: StoredRow, next: StoredRow, actor: Actor) => {
    const changed = Object.keys(fields).filter((field) => !isSame(next[field], before[field]))
    return store.replace(next, changed, actor)
  }

  /** Repeating an action changes nothing, so a request whose answer was lost can safely be sent again (decision 0002). */
  const retried = async (id: string, action: ActionCall, { expected, principal, actor }: Asked) => {
    for (let races = 0; races < maxRaces; races++) {
      const before = await find(id)
      requireVersion(before, expected)
      const next = nextVersion(before, await rules.act(action, before, { principal }))
      const outcome = next === before ? before : await replaced(before, next, actor)
      if (outcome) return stored(outcome)
    }
    throw conflict()
  }

  return {
    ...(shown ? shownLists(store, shown) : { page: store.page, slice: store.slice, stream: store.stream }),
    find,

    async create(body: Body, { principal, actor, id = newId() }: Creating): Promise<StoredRow> {
      const now = clock.now()
      const secret = own.secret?.make()
      const record = {
        [`${name}Id`]: id,
        ...alwaysStarting,
        ...received(body),
        createdAt: now,
        ...(hasLastModified && { lastModifiedAt: now }),
        ...own.initialValues?.(callerOf(principal)),
        version: 1,
      } as StoredRow
      const whole =
        secret === undefined ? record : { ...record, ...own.secret?.stored({ secret, now, record, cursors }) }
      const within = {
        judge: creating(principal),
        also: opened.prepareCreation && (await opened.prepareCreation(record as RuleRecord)),
      }
      const made = await found(stored(await store.insert(whole, actor, within)))
      return secret === undefined ? made : { ...made, secret }
    },

    /** A caller who may not create such a record is not shown the secret of one. */
    async renewSecret(id: string, asked: Asked): Promise<StoredRow> {
      const secret = own.secret?.make() ?? ''
      const renewed = await judged(id, asked, async (before, tx) => {
        // A copy, because a rule may take the same object to mean that nothing changes.
        await rules.update?.({ ...before }, before, { principal: asked.principal, tx })
        const kept = own.secret?.stored({ secret, now: clock.now(), record: before, cursors })
        return versionAfter(before, { ...before, ...kept })
      })
      return { ...(await found(renewed)), secret }
    },

    /** Brings back a deleted record with its id, if the rule of a creation and its references allow it. */
    async restore(id: string, { principal, actor }: Asked): Promise<StoredRow> {
      const known = await deletedRecord<StoredRow>(changes, { room: name, id, fields, find })
      const record = hasLastModified
        ? { ...known, lastModifiedAt: laterThan(known.lastModifiedAt, clock) }
        : known
      return stored(await store.insert(record, actor, { judge: creating(principal) ?? unchanged }))
    },

    async update(id: string, body: Body, asked: Asked): Promise<StoredRow> {
      const values = received(body)
      if (rules.update) {
        const ended = await judged(id, asked, async (before, tx) => {
          const at = { principal: asked.principal, tx }
          return nextVersion(before, (await rules.update?.(nextVersion(before, values), before, at)) ?? {})
        })
        return found(ended)
      }
      const before = await find(id)
      requireVersion(before, asked.expected)
      const next = nextVersion(before, values)
      if (next === before) return before
      const outcome = await replaced(before, next, asked.actor)
      if (!outcome) throw changedMeanwhile(asked.expected)
      return stored(outcome)
    },

    /**
     * Performs an action. One that does not use its context depends on the record alone, and is tried again when another
     * request was faster. Any other action runs in a transaction in which nothing changes meanwhile.
     */
    async act(id: string, action: ActionCall, asked: Asked): Promise<StoredRow> {
      if (action.does.length < 2 && !rules.update) return retried(id, action, asked)
      return judged(id, asked, async (before, tx) => {
        const at = { principal: asked.principal, tx, action: action.name }
        const wanted = nextVersion(before, await rules.act(action, before, at))
        if (!rules.update || wanted === before) return wanted
        return nextVersion(before, await rules.update(wanted, before, at))
      })
    },

    async remove(id: string, asked: Asked): Promise<undefined> {
      const judge: Judge | undefined =
        rules.delete &&
        (async (record, tx) => {
          await rules.delete?.(record, { principal: asked.principal, tx })
          return record
        })
      if (await store.remove(id, asked, judge)) return
      await find(id)
      throw changedMeanwhile(asked.expected)
    },
  }
}

type ActionCall = Pick<Action<RuleRecord>, 'does'> & { readonly name?: string }

export type RecordService = ReturnType<typeof recordService>

/** Lists with the computed fields. */
const shownLists = <F>(
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

const unchanged: Judge = (record) => record

const isDetails = (outcome: StoredRow | readonly Detail[]): outcome is readonly Detail[] =>
  Array.isArray(outcome)
