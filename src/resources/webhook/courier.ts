import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '#core/clock.ts'
import { type Change, idEndOf } from '#http/api/change.ts'
import { serviceActor } from '#ledger/change-log.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Delivery } from './declaration.ts'
import { type Dispatch, isDelivered, unloggedChange } from './dispatch.ts'
import { sender } from './sending.ts'
import { filterOf } from './service.ts'
import type { DeliveryProgress, TrackedWebhook, WebhookStore } from './store.ts'

export interface CourierParts
  extends Pick<ResourceContext, 'changes' | 'clock' | 'newId'>,
    Pick<DeliverySettings, 'changeTypes' | 'clockCheckMs' | 'reportHealth'> {
  readonly store: WebhookStore
  readonly dispatch: Dispatch
  readonly sending: Parameters<typeof sender>[0]
  /** Reports every delivery. */
  readonly report: (webhook: TrackedWebhook, delivery: Delivery, change: Change) => void
}

const minute = 60_000
const hour = 60 * minute

/** The pauses between attempts: 75.5 hours together. After the last attempt the webhook is disabled. */
export const pausesMs = [
  5_000,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((count) => count * hour),
]

/** Each pause varies by up to this share, so that receivers that failed together are not retried together. */
const jitter = 0.1

const batchSize = 100

/** How often a courier without changes checks whether the log still has the next change. */
const idleMs = 60_000

/** After how many changes of other types, or how much time, a webhook saves its position, before the log around it is swept. */
const skippedMost = 1_000
const skippedMs = 10 * minute

export const isDeliverable = ({ active, progress: { state } }: TrackedWebhook) =>
  active && (state === 'delivering' || state === 'retrying')

export type Courier = ReturnType<typeof courier>

/** Delivers the changes of one webhook in order, until it is stopped or delivery is given up. */
export const courier = (webhookId: string, parts: CourierParts) => {
  const { store, changes, clock, newId, dispatch, clockCheckMs } = parts
  const stopped = new AbortController()
  const { send, close } = sender(parts.sending)
  let waking = new AbortController()
  let hasEnded = false
  let isFailing = false
  let writtenAt = clock.now()
  /** The time of the oldest undelivered change. */
  let oldest: Instant | undefined
  /** The reset to deliver, kept so that each attempt sends the same change. */
  let reset: Change | undefined

  const isContinuing = () => !hasEnded && !waking.signal.aborted

  /** Delivers all pending changes. Returns when to continue. Undefined to wait for the next change. */
  const deliverPending = async (): Promise<Instant | undefined> => {
    const webhook = await store.find(webhookId)
    if (!webhook || !isDeliverable(webhook)) {
      hasEnded = true
      return 0
    }
    const { progress, types } = webhook
    const page = await changes.recent(progress, filterOf(types, parts), batchSize)
    if (!page) {
      await store.advance(progress, { ...progress, state: 'lapsed', since: clock.now() })
      return 0
    }
    oldest = page.changes[0]?.time
    if (isPausing(progress, clock.now())) return progress.nextAt ?? 0
    const branch = await changes.branch()
    if (progress.branch !== branch) {
      await (progress.branch === null
        ? store.advance(progress, { ...progress, branch })
        : deliverReset(webhook, { ...progress, branch }))
      return 0
    }
    let latest = progress
    for (const change of page.changes) {
      oldest = change.time
      const { number, id } = change
      const next =
        isContinuing() &&
        (await deliver({ ...webhook, progress: latest }, change, { ...latest, number, idEnd: idEndOf(id) }))
      if (!next) return 0
      if (next.state !== 'delivering') return next.nextAt ?? 0
      latest = next
    }
    oldest = undefined
    const { number } = page.position
    const isLate = number - latest.number >= skippedMost || clock.now() - writtenAt >= skippedMs
    if (page.changes.length === 0 && number > latest.number && (isLate || page.more)) {
      await store.advance(latest, { ...latest, ...page.position })
      writtenAt = clock.now()
    }
    return page.more ? 0 : undefined
  }

  /** Delivers a reset first if the database has lost changes that the webhook already received. */
  const deliverReset = async (webhook: TrackedWebhook, goal: DeliveryProgress) => {
    const { number } = webhook.progress
    const { by, track } = serviceActor()
    reset ??= unloggedChange(webhook, {
      type: 'webhook.reset',
      id: newId(),
      number,
      time: clock.now(),
      by,
      track,
    })
    const next = await deliver(webhook, reset, goal)
    if (next?.state === 'delivering') reset = undefined
  }

  /** The progress after the attempt: the goal if it succeeded. Undefined if it was aborted, or the webhook was moved meanwhile. */
  const deliver = async (
    webhook: TrackedWebhook,
    change: Change,
    goal: DeliveryProgress,
  ): Promise<DeliveryProgress | undefined> => {
    const { progress } = webhook
    const delivery = await dispatch({ webhook, change, attempt: progress.failures + 1 }, send, stopped.signal)
    if (!delivery) return undefined
    const next = isDelivered(delivery)
      ? afterSuccess(goal, clock.now())
      : afterFailure(progress, delivery, clock.now())
    const told = { ...next, lastStatus: delivery.status, lastError: delivery.error }
    parts.report(webhook, delivery, change)
    if (!(await store.advance(progress, told, delivery))) return undefined
    writtenAt = clock.now()
    return told
  }

  const until = async (instant: Instant, signal: AbortSignal) => {
    const longestMs = instant - clock.now()
    // If `instant` is further away than at the beginning, the clock was set back.
    while (clock.now() < instant && instant - clock.now() <= longestMs && !signal.aborted)
      await sleep(Math.min(instant - clock.now(), clockCheckMs), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
  }

  const onSuccess = (goOnAt: Instant | undefined) => {
    isFailing = false
    return goOnAt
  }

  const onFailure = (error: unknown) => {
    isFailing = true
    parts.reportHealth(error)
    return clock.now() + clockCheckMs
  }

  const run = async () => {
    while (!hasEnded && !changes.hasEnded()) {
      const since = changes.arrived()
      waking = new AbortController()
      const goOnAt = await deliverPending().then(onSuccess, onFailure)
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

    /** Reads the webhook again, because it was changed. */
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

/** Whether a pause is still running. If its end is further away than the pause is long, the clock was set back: it is over. */
const isPausing = ({ nextAt, failures }: DeliveryProgress, now: Instant) => {
  const leftMs = (nextAt ?? 0) - now
  return leftMs > 0 && leftMs <= Math.round((pausesMs[failures - 1] ?? 0) * (1 + jitter))
}

const afterSuccess = (goal: DeliveryProgress, now: Instant): DeliveryProgress => ({
  ...{ ...goal, failures: 0, nextAt: null, state: 'delivering' },
  since: goal.state === 'delivering' ? goal.since : now,
})

const afterFailure = (progress: DeliveryProgress, { status }: Delivery, now: Instant): DeliveryProgress => {
  const pauseMs = status === goneStatus ? undefined : pausesMs[progress.failures]
  const state = pauseMs === undefined ? 'disabled' : 'retrying'
  const nextAt = now + Math.round((pauseMs ?? 0) * (1 + jitter * (2 * Math.random() - 1)))
  const since = progress.state === state ? progress.since : now
  return {
    ...progress,
    failures: progress.failures + 1,
    nextAt: pauseMs === undefined ? null : nextAt,
    state,
    since,
  }
}

/** The status of a receiver that wants no more changes. */
const goneStatus = 410
