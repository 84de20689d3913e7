import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Instant } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { type Change, type Changes, markOf } from '#http/api/feed.ts'
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
  /** The types of all changes that there may be. */
  readonly types: readonly string[]
  readonly dispatch: Dispatch
  readonly sending: Parameters<typeof sender>[0]
  /** How long it sleeps at most before it looks at the clock again. */
  readonly beatMs: number
  /** Learns of every delivery. */
  readonly told: (webhook: Placed, delivery: Delivery, change: Change) => void
  readonly ended: (error?: unknown) => void
}

const minute = 60_000
const hour = 60 * minute

/** How long it waits after each failure of a change: 75 hours and a half together. After one more it gives up. */
export const pausesMs = [
  5_000,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((count) => count * hour),
]

/** A pause is longer or shorter by up to this share, so that receivers that failed together are not called together. */
const jitter = 0.1

const batchSize = 100

/** After this long it is looked again whether what comes next is still kept. */
const idleMs = 60_000

/** The place of a webhook that gets few changes is written after so many others, or after a while: it must stay within what is kept. */
const skippedMost = 1_000
const skippedMs = 10 * minute

export const isDeliverable = ({ active, place: { state } }: Placed) =>
  active && (state === 'delivering' || state === 'retrying')

export type Courier = ReturnType<typeof courier>

/** Delivers the changes of one webhook, one after another, until it is stopped or the webhook gets no more. */
export const courier = (webhookId: string, parts: CourierParts) => {
  const { places, changes, clock, newId, dispatch, beatMs } = parts
  const stopped = new AbortController()
  const { send, close } = sender(parts.sending)
  let waking = new AbortController()
  let hasEnded = false
  let isFailing = false
  let writtenAt = clock.now()
  /** When the oldest change was made that is to be delivered. */
  let oldest: Instant | undefined
  /** The reset that is to be delivered: the same at each attempt. */
  let reset: Change | undefined

  const stays = () => !hasEnded && !waking.signal.aborted

  /** Delivers what there is. Returns the time to go on at; undefined: when something has arrived. */
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

  /** The log may have lost what was delivered, up to where the webhook stands: says so before anything else. */
  const deliverReset = async (webhook: Placed, goal: Place) => {
    const { number } = webhook.place
    const { by, track } = ourselves()
    reset ??= ownChange(webhook, { type: 'webhook.reset', id: newId(), number, time: clock.now(), by, track })
    const next = await deliver(webhook, reset, goal)
    if (next?.state === 'delivering') reset = undefined
  }

  /** The place after the attempt: the goal if it arrived. Undefined if it was broken off, or somebody else moved the webhook meanwhile. */
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

    /** Something about the webhook was changed. */
    wake: () => waking.abort(),

    /** Begins nothing more. */
    end() {
      hasEnded = true
      waking.abort()
    },

    /** Also breaks off what is under way. */
    stop() {
      hasEnded = true
      waking.abort()
      stopped.abort()
    },
  }
}

/** An end that is further away than the pause is long was written before a clock was set back, and is ignored. */
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

/** The receiver wants no more. */
const goneStatus = 410
