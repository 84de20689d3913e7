import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Instant } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { type Change, type Changes, markOf } from '#http/api/change.ts'
import { ourselves } from '#ledger/change-log.ts'
import type { Delivery } from './declaration.ts'
import { type Dispatch, isDelivered, ownChange } from './dispatch.ts'
import type { Place, Placed, Places } from './places.ts'
import { sender } from './sending.ts'
import { filterOf } from './service.ts'

export interface CourierParts {
  readonly places: Places
  readonly changes: Changes
  readonly clock: Clock
  readonly newId: NewId
  /** The types of all possible changes. */
  readonly types: readonly string[]
  readonly dispatch: Dispatch
  readonly sending: Parameters<typeof sender>[0]
  /** The longest sleep before it checks the clock again. */
  readonly beatMs: number
  /** Reports every delivery. */
  readonly told: (webhook: Placed, delivery: Delivery, change: Change) => void
  readonly ended: (error?: unknown) => void
}

const minute = 60_000
const hour = 60 * minute

/** The pauses between attempts: 75.5 hours together. After the last attempt it gives up. */
export const pausesMs = [
  5_000,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((count) => count * hour),
]

/** Each pause varies by up to this share, so that receivers that failed together are not retried together. */
const jitter = 0.1

const batchSize = 100

/** How often it checks whether the log still has the next change. */
const idleMs = 60_000

/** A webhook that receives few changes saves its place after this many others, or after this time, so that its place stays within the kept log. */
const skippedMost = 1_000
const skippedMs = 10 * minute

export const isDeliverable = ({ active, place: { state } }: Placed) =>
  active && (state === 'delivering' || state === 'retrying')

export type Courier = ReturnType<typeof courier>

/** Delivers the changes of one webhook in order, until it is stopped or delivery is given up. */
export const courier = (webhookId: string, parts: CourierParts) => {
  const { places, changes, clock, newId, dispatch, beatMs } = parts
  const stopped = new AbortController()
  const { send, close } = sender(parts.sending)
  let waking = new AbortController()
  let hasEnded = false
  let isFailing = false
  let writtenAt = clock.now()
  /** The time of the oldest undelivered change. */
  let oldest: Instant | undefined
  /** The reset to deliver. It is the same at each attempt. */
  let reset: Change | undefined

  const stays = () => !hasEnded && !waking.signal.aborted

  /** Delivers all pending changes. Returns when to continue; undefined: when a change arrives. */
  const round = async (): Promise<Instant | undefined> => {
    const webhook = await places.find(webhookId)
    if (!webhook || !isDeliverable(webhook)) {
      hasEnded = true
      return 0
    }
    const { place, types } = webhook
    const page = await changes.recent(place, filterOf(types, parts), batchSize)
    if (!page) {
      await places.advance(place, { ...place, state: 'lapsed', since: clock.now() })
      return 0
    }
    oldest = page.changes[0]?.time
    if (isPausing(place, clock.now())) return place.nextAt ?? 0
    const branch = await changes.branch()
    if (place.branch !== branch) {
      await (place.branch === null
        ? places.advance(place, { ...place, branch })
        : deliverReset(webhook, { ...place, branch }))
      return 0
    }
    let known = place
    for (const change of page.changes) {
      oldest = change.time
      const { number, id } = change
      const next =
        stays() &&
        (await deliver({ ...webhook, place: known }, change, { ...known, number, mark: markOf(id) }))
      if (!next) return 0
      if (next.state !== 'delivering') return next.nextAt ?? 0
      known = next
    }
    oldest = undefined
    const { number } = page.position
    const isLate = number - known.number >= skippedMost || clock.now() - writtenAt >= skippedMs
    if (page.changes.length === 0 && number > known.number && (isLate || page.more)) {
      await places.advance(known, { ...known, ...page.position })
      writtenAt = clock.now()
    }
    return page.more ? 0 : undefined
  }

  /** If the log no longer contains the delivered changes up to the webhook's place, delivers a reset first. */
  const deliverReset = async (webhook: Placed, goal: Place) => {
    const { number } = webhook.place
    const { by, track } = ourselves()
    reset ??= ownChange(webhook, { type: 'webhook.reset', id: newId(), number, time: clock.now(), by, track })
    const next = await deliver(webhook, reset, goal)
    if (next?.state === 'delivering') reset = undefined
  }

  /** The place after the attempt: the goal if it succeeded. Undefined if it was aborted, or the webhook was moved meanwhile. */
  const deliver = async (webhook: Placed, change: Change, goal: Place): Promise<Place | undefined> => {
    const { place } = webhook
    const delivery = await dispatch({ webhook, change, attempt: place.failures + 1 }, send, stopped.signal)
    if (!delivery) return undefined
    const next = isDelivered(delivery) ? arrivedAt(goal, clock.now()) : failedAt(place, delivery, clock.now())
    const told = { ...next, lastStatus: delivery.status, lastError: delivery.error }
    parts.told(webhook, delivery, change)
    if (!(await places.advance(place, told, delivery))) return undefined
    writtenAt = clock.now()
    return told
  }

  const until = async (instant: Instant, signal: AbortSignal) => {
    const longestMs = instant - clock.now()
    // If it is further away than before, the clock was set back.
    while (clock.now() < instant && instant - clock.now() <= longestMs && !signal.aborted)
      await sleep(Math.min(instant - clock.now(), beatMs), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
  }

  const worked = (goOnAt: Instant | undefined) => {
    isFailing = false
    return goOnAt
  }

  const failed = (error: unknown) => {
    isFailing = true
    parts.ended(error)
    return clock.now() + beatMs
  }

  const run = async () => {
    while (!hasEnded && !changes.hasEnded()) {
      const since = changes.arrived()
      waking = new AbortController()
      const goOnAt = await round().then(worked, failed)
      if (goOnAt === undefined) await changes.arrival(since, idleMs, waking.signal)
      else await until(Math.min(goOnAt, clock.now() + idleMs), waking.signal)
    }
    close()
  }
  const running = run()

  return {
    running,
    behindMs: () => (oldest === undefined ? 0 : Math.max(0, clock.now() - oldest)),
    hasEnded: () => hasEnded,
    isFailing: () => isFailing,

    /** The webhook was changed. */
    wake: () => waking.abort(),

    /** Starts no further delivery. */
    end() {
      hasEnded = true
      waking.abort()
    },

    /** Also aborts the current delivery. */
    stop() {
      hasEnded = true
      waking.abort()
      stopped.abort()
    },
  }
}

/** Ignores an end of a pause that is further away than the pause is long: the clock was set back. */
const isPausing = ({ nextAt, failures }: Place, now: Instant) => {
  const leftMs = (nextAt ?? 0) - now
  return leftMs > 0 && leftMs <= Math.round((pausesMs[failures - 1] ?? 0) * (1 + jitter))
}

const arrivedAt = (goal: Place, now: Instant): Place => ({
  ...{ ...goal, failures: 0, nextAt: null, state: 'delivering' },
  since: goal.state === 'delivering' ? goal.since : now,
})

const failedAt = (place: Place, { status }: Delivery, now: Instant): Place => {
  const pauseMs = status === goneStatus ? undefined : pausesMs[place.failures]
  const state = pauseMs === undefined ? 'disabled' : 'retrying'
  const nextAt = now + Math.round((pauseMs ?? 0) * (1 + jitter * (2 * Math.random() - 1)))
  const since = place.state === state ? place.since : now
  return {
    ...place,
    failures: place.failures + 1,
    nextAt: pauseMs === undefined ? null : nextAt,
    state,
    since,
  }
}

/** The receiver answered 410: it wants no more changes. */
const goneStatus = 410
