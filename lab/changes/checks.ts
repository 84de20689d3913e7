import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '#lab/histories/checks.ts'
import type { Change } from '../../src/client/messages.ts'
import {
  beforeFirst,
  hasTypeIn,
  idOf,
  type ListRead,
  numberOf,
  type Observations,
  type Value,
} from './observed.ts'

type Check = (observed: Observations) => Finding[]

/** The numbers have no gap and name one change each. The versions of a record ascend by one, from its creation to its deletion. */
export const ordered: Check = ({ log }) => {
  const last = new Map<string, Change>()
  const ids = new Set(log.map(({ id }) => id))
  const doubled = ids.size === log.length ? [] : [finding('unique', 'the log', 'two changes have one id')]
  return doubled.concat(
    log.flatMap((change, at) => {
      const { subject, type, data } = change
      const before = last.get(subject)
      last.set(subject, change)
      const isDense = at === 0 || numberOf(change) === numberOf(log[at - 1] ?? change) + 1
      const isNext = data.version === (before?.data.version ?? 0) + 1
      const isAlive = (before === undefined) === type.endsWith('.created')
      const isGone = before?.type.endsWith('.deleted') ?? false
      return [
        ...(isDense ? [] : [finding('dense', change, 'does not follow the one before')]),
        ...(isNext && isAlive && !isGone
          ? []
          : [finding('ordered', change, `follows ${before?.type} ${before?.data.version}`)]),
      ]
    }),
  )
}

/** The log has every acknowledged write, as it was requested and in the order of its operations, and nothing else. */
export const complete: Check = ({ log, written }) => {
  const byTrack = Map.groupBy(log, ({ data }) => data.track)
  const known = new Set(written.map(({ track }) => track))
  const strange = log.filter(({ data }) => !known.has(data.track))
  const wrong = written.flatMap(({ track, expected }) => {
    const rest = [...(byTrack.get(track) ?? [])]
    for (const { type, subject, changed } of expected ?? []) {
      const isThere = rest[0]?.type === type && rest[0].subject === subject
      const isIt = isThere && (changed === undefined || rest[0]?.data.changed.join() === changed)
      if (isIt) rest.shift()
      else if (changed === undefined)
        return [finding('complete', track, `${type} ${subject} is not where it belongs`)]
    }
    const isMore = expected !== undefined && rest.length > 0
    return isMore ? [finding('complete', track, `${rest[0]?.type} was refused, or never asked for`)] : []
  })
  return [...strange.map((change) => finding('complete', change, 'nobody asked for it')), ...wrong]
}

/** The changes of one request are neighbours, and no answer ends among them. */
export const atomic: Check = ({ log, readings }) => {
  const ended = new Set<string>()
  const apart = log.filter(({ data: { track } }, at) => {
    const before = log[at - 1]?.data.track
    if (before !== undefined && before !== track) ended.add(before)
    return ended.has(track)
  })
  const split = readings.flatMap(({ how, types, places, told }) => {
    const shown = log.filter(hasTypeIn(types))
    const isFirst = new Map(
      shown.map((change, at) => [change.id, change.data.track !== shown[at - 1]?.data.track]),
    )
    return places
      .filter(({ count }) => isFirst.get(told[count]?.id ?? '') === false)
      .map(({ count }) =>
        finding('atomic', told[count] ?? how, `a ${how} was given a cursor before it, within its unit`),
      )
  })
  return [...apart.map((change) => finding('atomic', change, 'stands apart from its unit')), ...split]
}

/** What was acknowledged before another write began comes before it. */
export const inTime: Check = ({ log, written }) => {
  const times = new Map(written.map((one) => [one.track, one]))
  let endedMs = Number.POSITIVE_INFINITY
  return log.toReversed().flatMap((change) => {
    const one = times.get(change.data.track)
    const isLate = one !== undefined && one.begunMs > endedMs
    if (one?.expected) endedMs = Math.min(endedMs, one.endedMs)
    return isLate ? [finding('ordered', change, 'began after a later one was acknowledged')] : []
  })
}

/** Every reader got the same log: each change once, in order, from the place where it began. */
export const resumable: Check = ({ log, readings }) => {
  const texts = new Map(log.map((change) => [change.id, JSON.stringify(change)]))
  return readings.flatMap(({ how, types, after, told, isPart }) => {
    const start = after ?? (told[0] ? numberOf(told[0]) - 1 : Number.POSITIVE_INFINITY)
    const due = log.filter((change) => numberOf(change) > start && hasTypeIn(types)(change))
    const at = told.findIndex((change, index) => JSON.stringify(change) !== texts.get(due[index]?.id ?? ''))
    if (at >= 0)
      return [finding('resumable', how, `was told ${told[at]?.sequence} where ${due[at]?.sequence} is due`)]
    const isWhole = isPart || told.length === due.length
    return isWhole ? [] : [finding('live', how, `was told ${told.length} of ${due.length}`)]
  })
}

/** A reader that reached the end has got every change acknowledged before its request began. */
export const fresh: Check = (observed) => {
  const newest = acknowledgedAt(observed)
  return observed.readings.flatMap(({ how, told, types, looks, after = Number.POSITIVE_INFINITY }) =>
    looks.flatMap(({ begunMs, count }) => {
      const seen = count > 0 ? numberOf(told[count - 1] ?? beforeFirst) : after
      const due = newest(begunMs, types)
      return due > seen ? [finding('fresh', how, `ended at ${seen}, after ${due} was acknowledged`)] : []
    }),
  )
}

/** A list equals the state after the change at its cursor, or after a later one. */
export const bookmarked: Check = (observed) => {
  const newest = acknowledgedAt(observed)
  return observed.lists.flatMap((list) => {
    const from = Math.max(list.after, newest(list.begunMs))
    if (isReached(list, from, observed)) return []
    const says = `of ${list.rows.length} rows, with a cursor after ${list.after}: no state from ${from} on`
    return [finding('bookmarked', `${list.room} ${JSON.stringify(list.filter)}`, says)]
  })
}

/** After its change, a record equals the answer, and differs from the version before only in the fields that the change names. */
export const remembered: Check = ({ log, written, values }) => {
  const answers = new Map(
    written.flatMap(({ track, expected = [] }) =>
      expected.map(({ subject, type, value }): [string, Value | undefined] => [
        `${track} ${subject} ${type}`,
        value,
      ]),
    ),
  )
  const nameOf = ({ data, subject, type }: Change): string => `${data.track} ${subject} ${type}`
  const uses = Map.groupBy(log, nameOf)
  const last = new Map<string, Value>()
  return log.flatMap((change) => {
    const { subject, type, data } = change
    if (!/^(todo|member)\./.test(type)) return []
    const value = values.get(numberOf(change))
    const before = last.get(subject) ?? null
    if (value === undefined) return [finding('history', change, 'is not in the history')]
    last.set(subject, value)
    const name = nameOf(change)
    const answer = uses.get(name)?.length === 1 ? answers.get(name) : undefined
    if (answer !== undefined && !isDeepStrictEqual(value, answer))
      return [
        finding('history', change, `shows ${JSON.stringify(value)}, answered was ${JSON.stringify(answer)}`),
      ]
    const differing = before && value ? differences(before, value) : []
    const isNamed = !before || !value || differing.join() === data.changed.toSorted().join()
    return isNamed ? [] : [finding('previous', change, `names ${data.changed}, and ${differing} differ`)]
  })
}

/** A webhook received each change in order, and one twice only if its first delivery was not answered. */
export const delivered: Check = ({ log, received: { types, numbers }, maxRepeats }) => {
  const due = log.filter(hasTypeIn(types)).map(numberOf)
  let next = 0
  let repeats = 0
  for (const number of numbers) {
    if (number === due[next]) next++
    else if (due.slice(0, next).includes(number)) repeats++
    else return [finding('webhook', String(number), `came where ${due[next]} was due`)]
  }
  const lacking = next === due.length ? [] : [finding('webhook', String(due[next]), 'never came')]
  return repeats > maxRepeats ? [...lacking, finding('webhook', 'all', `${repeats} came again`)] : lacking
}

/** The checks that also hold while the log is swept. */
export const checksOfReaders: readonly Check[] = [ordered, complete, atomic, inTime, resumable, fresh]

export const checks: readonly Check[] = [...checksOfReaders, bookmarked, remembered, delivered]

const finding = (check: string, where: Change | string, says: string): Finding => ({
  check,
  key: typeof where === 'string' ? where : `${where.sequence} ${where.type} ${where.subject}`,
  says,
})

/** The newest number of these types that was acknowledged before this time. */
const acknowledgedAt = ({ log, written }: Observations) => {
  const times = new Map(written.filter(({ expected }) => expected).map((one) => [one.track, one.endedMs]))
  return (beforeMs: number, types?: readonly string[]) =>
    numberOf(
      log.findLast(
        (change) =>
          hasTypeIn(types)(change) && (times.get(change.data.track) ?? Number.POSITIVE_INFINITY) < beforeMs,
      ) ?? beforeFirst,
    )
}

/** True if the list is the state after some change, not before this number. */
const isReached = ({ room, rows, filter }: ListRead, from: number, { log, values }: Observations) => {
  const wrong = new Map<string, Value>(rows.map((row) => [idOf(row), row]))
  const listed = new Map(wrong)
  for (const change of log) {
    if (numberOf(change) > from && wrong.size === 0) return true
    const { type, subject } = change
    if (!type.startsWith(room.slice(0, -1))) continue
    const value = values.get(numberOf(change)) ?? null
    const shown = value && isShown(value, filter) ? value : undefined
    if (isDeepStrictEqual(shown, listed.get(subject))) wrong.delete(subject)
    else wrong.set(subject, value)
  }
  return wrong.size === 0
}

const isShown = (value: NonNullable<Value>, { finished, title, genderCode, name }: ListRead['filter']) =>
  (finished === undefined || String(value.finished) === finished) &&
  (title === undefined || String(value.todoTitle).includes(title)) &&
  (genderCode === undefined || value.genderCode === genderCode) &&
  (name === undefined || `${value.firstName} ${value.lastName}`.includes(name))

/** `lastModifiedAt` always differs, and is no field that a caller changes. */
const differences = (one: NonNullable<Value>, other: NonNullable<Value>) =>
  Object.keys(other)
    .filter((name) => name !== 'lastModifiedAt' && !isDeepStrictEqual(one[name], other[name]))
    .toSorted()
