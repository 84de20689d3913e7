import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '#core/clock.ts'
import { type Change, idSuffixOf } from '#http/api/change.ts'
import { serviceActor } from '#ledger/change-log.ts'
import type { DeliverySettings, ResourceContext } from '#resources/resource.ts'
import type { Delivery } from './declaration.ts'
import { type Dispatch, isDelivered, unloggedChange } from './dispatch.ts'
import { sender } from './sending.ts'
import { filterOf } from './service.ts'
import type { DeliveryProgress, WebhookStore, WebhookWithProgress } from './store.ts'

export interface CourierContext
  extends Pick<ResourceContext, 'changes' | 'clock' | 'newId'>,
    Pick<DeliverySettings, 'changeTypes' | 'clockCheckMs' | 'reportHealth'> {
  readonly store: WebhookStore
  readonly dispatch: Dispatch
  readonly sending: Parameters<typeof sender>[0]
  /** Called after every delivery. */
  readonly report: (webhook: WebhookWithProgress, delivery: Delivery, change: Change) => void
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

/** Each pause varies at random by up to this share, so that receivers that failed together are not called together again. */
const jitter = 0.1

const batchSize = 100

/** While there are no changes, a courier checks at this interval whether the log still has the next change. */
const idleMs = 60_000

/**
 * A courier saves its position after this many changes of other types, or after this time, so that the position stays ahead of the
 * sweep of the log.
 */
const maxSkippedChanges = 1_000
const maxSkippingMs = 10 * minute

export const isDeliverable = ({ active, progress: { state } }: WebhookWithProgress) =>
  active && (state === 'delivering' || state === 'retrying')

export type Courier = ReturnType<typeof courier>

/** Starts the delivery of changes to one webhook, in order. It ends when it is stopped or the webhook is no longer deliverable. */
export const courier = (webhookId: string, context: CourierContext) => {
  const { store, changes, clock, newId, dispatch, clockCheckMs } = context
  const stopped = new AbortController()
  const { send, close } = sender(context.sending)
  let waking = new AbortController()
  let hasEnded = false
  let isFailing = false
  let savedAt = clock.now()
  /** The time of the oldest undelivered change. */
  let oldestPending: Instant | undefined
  /** The `webhook.reset` to deliver. Every attempt sends the same one. */
  let pendingReset: Change | undefined

  const isContinuing = () => !hasEnded && !waking.signal.aborted

  /** Delivers the pending changes. Returns the time at which to continue, or undefined to wait for the next change. */
  const deliverPending = async (): Promise<Instant | undefined> => {
    const webhook = await store.find(webhookId)
    if (!webhook || !isDeliverable(webhook)) {
      hasEnded = true
      return 0
    }
    const { progress, types } = webhook
    const page = await changes.readFromMemory(progress, filterOf(types, context), batchSize)
    if (!page) {
      await store.advance(progress, { ...progress, state: 'lapsed', since: clock.now() })
      return 0
    }
    oldestPending = page.changes[0]?.time
    if (isPausing(progress, clock.now())) return progress.nextAt ?? 0
    const branch = await changes.branchId()
    if (progress.branch !== branch) {
      await (progress.branch === null
        ? store.advance(progress, { ...progress, branch })
        : deliverReset(webhook, { ...progress, branch }))
      return 0
    }
    let latest = progress
    for (const change of page.changes) {
      oldestPending = change.time
      const nextProgress = { ...latest, number: change.number, idSuffix: idSuffixOf(change.id) }
      const next = isContinuing() && (await deliver({ ...webhook, progress: latest }, change, nextProgress))
      if (!next) return 0
      if (next.state !== 'delivering') return next.nextAt ?? 0
      latest = next
    }
    oldestPending = undefined
    const { number } = page.position
    const isSaveDue = number - latest.number >= maxSkippedChanges || clock.now() - savedAt >= maxSkippingMs
    if (page.changes.length === 0 && number > latest.number && (isSaveDue || page.hasMore)) {
      await store.advance(latest, { ...latest, ...page.position })
      savedAt = clock.now()
    }
    return page.hasMore ? 0 : undefined
  }

  /** Delivers a `webhook.reset`, which tells the receiver that the database has lost changes that it may have received. */
  const deliverReset = async (webhook: WebhookWithProgress, nextProgress: DeliveryProgress) => {
    const { number } = webhook.progress
    const { author, track } = serviceActor()
    const reset = { type: 'webhook.reset', id: newId(), number, time: clock.now(), author, track }
    pendingReset ??= unloggedChange(webhook, reset)
    const next = await deliver(webhook, pendingReset, nextProgress)
    if (next?.state === 'delivering') pendingReset = undefined
  }

  /**
   * Sends a change, and saves and returns the progress, which is `nextProgress` after a success. Undefined if the attempt was aborted
   * or the webhook was moved meanwhile.
   */
  const deliver = async (
    webhook: WebhookWithProgress,
    change: Change,
    nextProgress: DeliveryProgress,
  ): Promise<DeliveryProgress | undefined> => {
    const { progress } = webhook
    const delivery = await dispatch({ webhook, change, attempt: progress.failures + 1 }, send, stopped.signal)
    if (!delivery) return undefined
    const next = isDelivered(delivery)
      ? afterSuccess(nextProgress, clock.now())
      : afterFailure(progress, delivery, clock.now())
    const recorded = { ...next, lastStatus: delivery.status, lastError: delivery.error }
    context.report(webhook, delivery, change)
    if (!(await store.advance(progress, recorded, delivery))) return undefined
    savedAt = clock.now()
    return recorded
  }

  const waitUntil = async (instant: Instant, signal: AbortSignal) => {
    const longestMs = instant - clock.now()
    // If `instant` is further away than at the beginning, the clock was set back.
    while (clock.now() < instant && instant - clock.now() <= longestMs && !signal.aborted)
      await sleep(Math.min(instant - clock.now(), clockCheckMs), undefined, { signal, ref: false }).catch(
        () => undefined,
      )
  }

  const onSuccess = (continueAt: Instant | undefined) => {
    isFailing = false
    return continueAt
  }

  const onFailure = (error: unknown) => {
    isFailing = true
    context.reportHealth(error)
    return clock.now() + clockCheckMs
  }

  const run = async () => {
    while (!hasEnded && !changes.isStopping()) {
      const since = changes.arrivalCount()
      waking = new AbortController()
      const continueAt = await deliverPending().then(onSuccess, onFailure)
      if (continueAt === undefined) await changes.nextArrival(since, idleMs, waking.signal)
      else await waitUntil(Math.min(continueAt, clock.now() + idleMs), waking.signal)
    }
    close()
  }
  const running = run()

  return {
    running,
    behindMs: () => (oldestPending === undefined ? 0 : Math.max(0, clock.now() - oldestPending)),
    hasEnded: () => hasEnded,
    isFailing: () => isFailing,

    /** Makes the courier read the webhook again. To be called after the webhook was changed. */
    wake: () => waking.abort(),

    /** Lets the current delivery finish and starts no other. */
    end() {
      hasEnded = true
      waking.abort()
    },

    /** Aborts the current delivery and starts no other. */
    stop() {
      hasEnded = true
      waking.abort()
      stopped.abort()
    },
  }
}

/** True during the pause after a failure. If more time remains than the pause has, the clock was set back, and the pause is over. */
const isPausing = ({ nextAt, failures }: DeliveryProgress, now: Instant) => {
  const remainingMs = (nextAt ?? 0) - now
  return remainingMs > 0 && remainingMs <= Math.round((pausesMs[failures - 1] ?? 0) * (1 + jitter))
}

const afterSuccess = (nextProgress: DeliveryProgress, now: Instant): DeliveryProgress => ({
  ...nextProgress,
  failures: 0,
  nextAt: null,
  state: 'delivering',
  since: nextProgress.state === 'delivering' ? nextProgress.since : now,
})

const afterFailure = (progress: DeliveryProgress, { status }: Delivery, now: Instant): DeliveryProgress => {
  const pauseMs = status === unsubscribedStatus ? undefined : pausesMs[progress.failures]
  const state = pauseMs === undefined ? 'disabled' : 'retrying'
  const nextAt = now + Math.round((pauseMs ?? 0) * (1 + jitter * (2 * Math.random() - 1)))
  const since = progress.state === state ? progress.since : now
  const failures = progress.failures + 1
  return { ...progress, failures, nextAt: pauseMs === undefined ? null : nextAt, state, since }
}

/** 410 Gone: the receiver wants no more changes. */
const unsubscribedStatus = 410
