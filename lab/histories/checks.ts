import { inUse } from './event.ts'
import type { Operation } from './operation.ts'
import { finishedState } from './register.ts'

export interface Finding {
  readonly check: string
  readonly key: string
  readonly says: string
}

export type Check = (operations: readonly Operation[]) => Finding[]

/** Every acknowledged record is in the final list, unless its deletion was requested. */
export const nothingLost: Check = (operations) => {
  const listed = new Set(listing(operations).map(({ key }) => key))
  if (!hasListing(operations)) return []
  const mayBeGone = new Set(mayHaveRemoved(operations, 'delete').map(({ key }) => key))
  return operations
    .filter(
      ({ op, outcome, key }) =>
        op === 'create' && outcome === 'ok' && !mayBeGone.has(key) && !listed.has(key),
    )
    .map(({ key, value }) => ({ check: 'lost', key: key ?? '', says: `${value} was acknowledged` }))
}

/** No record whose deletion was acknowledged is in the final list. */
export const nothingRevived: Check = (operations) => {
  const listed = new Set(listing(operations).map(({ key }) => key))
  return operations
    .filter(({ op, outcome, key }) => op === 'delete' && outcome === 'ok' && listed.has(key))
    .map(({ key }) => ({ check: 'lost', key: key ?? '', says: 'its deletion was acknowledged' }))
}

/** A create makes at most one record, however often its request is repeated, and nothing else makes any. */
export const nothingDoubled: Check = (operations) => {
  const creates = operations.filter(({ op }) => op === 'create')
  const known = new Set(creates.map(({ key }) => key).filter((key) => key !== undefined))
  const unanswered = new Set(creates.filter(({ key }) => key === undefined).map(({ value }) => value))
  return listing(operations).flatMap(({ key, seen }) => {
    if (key !== undefined && known.has(key)) return []
    if (unanswered.delete(seen)) return []
    return [{ check: 'doubled', key: key ?? '', says: `no answer acknowledged ${seen}` }]
  })
}

/** The same idempotency key is always answered with the same record. */
export const oneRowPerKey: Check = (operations) => {
  const made = new Map<string | null | undefined, string | undefined>()
  for (const { op, outcome, value, key } of operations)
    if (op === 'create' && outcome === 'ok') made.set(value, key)
  return operations
    .filter(({ op, outcome, value, key }) => op === 'repeat' && outcome === 'ok' && made.get(value) !== key)
    .map(({ key, value }) => ({
      check: 'doubled',
      key: key ?? '',
      says: `a repeat of ${value} made it, not ${made.get(value)}`,
    }))
}

/** Of all cas that expect one value, at most one replaces it. */
export const noUpdateLost: Check = (operations) => {
  const replaced = new Map<string, Operation>()
  return operations
    .filter(({ op, outcome }) => op === 'cas' && outcome === 'ok')
    .flatMap((operation) => {
      const name = `${operation.key} ${operation.from}`
      const other = replaced.get(name)
      replaced.set(name, operation)
      if (!other) return []
      const says = `${other.value} and ${operation.value} both replaced ${operation.from}`
      return [{ check: 'lost update', key: operation.key ?? '', says }]
    })
}

/** No read shows a value that an acknowledged write had replaced before the read began. */
export const nothingStale: Check = (operations) => {
  const wrote = new Map<string, Operation>()
  const writes = operations.filter(({ op }) => op === 'create' || op === 'write' || op === 'cas')
  for (const write of writes) wrote.set(`${write.key} ${write.value}`, write)
  const sure = grouped(writes.filter(({ outcome }) => outcome === 'ok'))
  return operations
    .filter(({ op, outcome, seen }) => op === 'read' && outcome === 'ok' && typeof seen === 'string')
    .flatMap((read) => {
      const source = wrote.get(`${read.key} ${read.seen}`) ?? wrote.get(`${read.key} ${reopened(read.seen)}`)
      const later = source && sure.get(read.key)?.find((write) => isBetween(source, write, read))
      if (!later) return []
      const own = later.process === read.process ? ', its own' : ''
      const says = `${read.seen} was read at ${read.instance ?? 'the service'} after ${later.value}${own}`
      return [{ check: 'stale', key: read.key ?? '', says }]
    })
}

/** A sign id belongs to one member at a time, whatever its case. */
export const signIdsUnique: Check = (operations) => {
  const leaves = Map.groupBy(mayHaveRemoved(operations, 'leave'), ({ key }) => key)
  const joins = operations.filter(({ op, outcome }) => op === 'join' && outcome === 'ok')
  const surelyHeld = joins.map((join) => ({
    join,
    fromNs: join.endedNs,
    toNs: Math.min(
      ...(leaves.get(join.key) ?? []).map(({ invokedNs }) => invokedNs),
      Number.POSITIVE_INFINITY,
    ),
  }))
  const twice = [...Map.groupBy(surelyHeld, ({ join }) => join.value?.toLowerCase())].flatMap(
    ([name, held]) => {
      const inOrder = held.filter(({ fromNs, toNs }) => fromNs < toNs).sort((a, b) => a.fromNs - b.fromNs)
      return inOrder.flatMap(({ join, fromNs }, index) => {
        const other = inOrder.slice(0, index).find(({ toNs }) => toNs > fromNs)
        if (!other) return []
        return [{ check: 'sign id', key: join.key ?? '', says: `${name} belongs to ${other.join.key}` }]
      })
    },
  )
  return [...twice, ...twiceInRoster(operations)]
}

/** A sign id is refused only while a member holds it, or may hold it. */
export const signIdsFreed: Check = (operations) => {
  const joins = operations.filter(({ op, outcome }) => op === 'join' && outcome !== 'fail')
  const leaves = Map.groupBy(
    operations.filter(({ op, outcome }) => op === 'leave' && outcome === 'ok'),
    ({ key }) => key,
  )
  const holds = (join: Operation, refused: Operation) =>
    sameName(join, refused) &&
    join.invokedNs < refused.endedNs &&
    !leaves.get(join.key)?.some(({ endedNs }) => endedNs < refused.invokedNs)
  return operations
    .filter(({ op, outcome, error }) => op === 'join' && outcome === 'fail' && error === inUse)
    .filter((refused) => !joins.some((join) => holds(join, refused)))
    .map(({ value }) => ({ check: 'orphan', key: '', says: `${value} is refused, though no member has it` }))
}

/** No credential is left without its member. */
export const noOrphan: Check = (operations) =>
  operations
    .filter(({ op, outcome, seen }) => op === 'audit' && outcome === 'ok' && seen !== '0')
    .map(({ seen }) => ({ check: 'orphan', key: '', says: `${seen} credentials without a member` }))

/** Every acknowledged member is in the final roster, unless its removal was requested. */
export const membersKept: Check = (operations) => {
  const roster = operations.filter(({ op, outcome }) => op === 'roster' && outcome === 'ok')
  if (roster.length === 0) return []
  const there = new Set(roster.map(({ key }) => key))
  const mayBeGone = new Set(mayHaveRemoved(operations, 'leave').map(({ key }) => key))
  return operations
    .filter(
      ({ op, outcome, key }) => op === 'join' && outcome === 'ok' && !mayBeGone.has(key) && !there.has(key),
    )
    .map(({ key, value }) => ({ check: 'lost', key: key ?? '', says: `member ${value} was acknowledged` }))
}

export const checks: readonly Check[] = [
  nothingLost,
  nothingRevived,
  nothingDoubled,
  oneRowPerKey,
  noUpdateLost,
  nothingStale,
  signIdsUnique,
  signIdsFreed,
  noOrphan,
  membersKept,
]

const sameName = (a: Operation, b: Operation) => a.value?.toLowerCase() === b.value?.toLowerCase()

const listing = (operations: readonly Operation[]) =>
  operations.filter(({ op, outcome, key }) => op === 'list' && outcome === 'ok' && key !== undefined)

/** The list ends with a line without a key, which tells an empty list from a missing one. */
const hasListing = (operations: readonly Operation[]) =>
  operations.some(({ op, outcome }) => op === 'list' && outcome === 'ok')

const mayHaveRemoved = (operations: readonly Operation[], removal: 'delete' | 'leave') =>
  operations.filter(({ op, outcome }) => op === removal && outcome !== 'fail')

const grouped = (operations: readonly Operation[]) => Map.groupBy(operations, ({ key }) => key)

const isBetween = (source: Operation, write: Operation, read: Operation) =>
  write !== source && source.endedNs < write.invokedNs && write.endedNs < read.invokedNs

/** The value under which a finished todo was written: the same title, unfinished. */
const reopened = (seen: string | null | undefined) => {
  const open = (seen ?? '').replace(/\/1$/, '/0')
  return finishedState(open) === seen ? open : seen
}

const twiceInRoster = (operations: readonly Operation[]): Finding[] => {
  const there = new Map<string, string | undefined>()
  return operations
    .filter(({ op, outcome, seen }) => op === 'roster' && outcome === 'ok' && typeof seen === 'string')
    .flatMap(({ key, seen }) => {
      const name = (seen ?? '').toLowerCase()
      const other = there.get(name)
      there.set(name, key)
      return other === undefined || other === key
        ? []
        : [{ check: 'sign id', key: key ?? '', says: `${name} is also ${other}` }]
    })
}
