import { setTimeout as sleep } from 'node:timers/promises'
import { memoizeSuccess } from '#core/once.ts'
import { lease } from '#ledger/lease.ts'
import type { ResourceContext, WebhookDeliverer } from '#resources/resource.ts'
import { allowedHosts } from './addresses.ts'
import { type Courier, type CourierContext, courier, isDeliverable } from './courier.ts'
import { isDelivered } from './dispatch.ts'
import { webhookTopic } from './store.ts'

/** Delivers changes while this instance holds the lease. Each webhook has a courier, so that none waits for another. */
export const deliverer = (
  { db, clock, newId, changes, delivery: settings }: ResourceContext,
  { store, dispatch }: Pick<CourierContext, 'store' | 'dispatch'>,
): WebhookDeliverer => {
  const { privateHosts, answerMs, leaseMs, graceMs, reportHealth } = settings
  const { renewMs, acquire, release } = lease({ db, clock, name: 'webhooks', durationMs: leaseMs })
  const counts = { delivered: 0, failed: 0 }
  const context: CourierContext = {
    ...settings,
    store,
    dispatch,
    changes,
    clock,
    newId,
    sending: { isAllowedHost: allowedHosts(privateHosts), answerMs },
    report({ webhookId }, { status, error, attempt }, { id, track }) {
      if (isDelivered({ status })) counts.delivered++
      else {
        counts.failed++
        settings.reportFailedDelivery({ webhook: webhookId, change: id, status, error, attempt, track })
      }
    },
  }
  const couriers = new Map<string, Courier>()
  let waking = new AbortController()
  let isStopping = false
  let isLeaseHeld = false
  let haltedCount = 0
  let running: Promise<void> | undefined

  const onPayload = (webhookId: string) => {
    couriers.get(webhookId)?.wake()
    waking.abort()
  }
  const onLoss = () => {
    for (const one of couriers.values()) one.wake()
    waking.abort()
  }
  const listen = memoizeSuccess(() => db.listen(webhookTopic, { onPayload, onLoss }))

  const refresh = async () => {
    await listen()
    await changes.follow()
    const all = await store.all()
    haltedCount = all.filter((webhook) => webhook.active && !isDeliverable(webhook)).length
    for (const [id, one] of couriers) if (one.hasEnded()) couriers.delete(id)
    for (const { webhookId } of all.filter(isDeliverable))
      if (!couriers.has(webhookId)) couriers.set(webhookId, courier(webhookId, context))
  }

  const stopAll = async () => {
    for (const one of couriers.values()) one.stop()
    await Promise.all([...couriers.values()].map((one) => one.running))
    couriers.clear()
  }

  const run = async () => {
    while (!isStopping) {
      waking = new AbortController()
      try {
        isLeaseHeld = await acquire()
        if (isLeaseHeld) await refresh()
        else await stopAll()
        if (![...couriers.values()].some((one) => one.isFailing())) reportHealth()
      } catch (error) {
        isLeaseHeld = false
        reportHealth(error)
        await stopAll()
      }
      await sleep(renewMs, undefined, { signal: waking.signal, ref: false }).catch(() => undefined)
    }
  }

  return {
    start() {
      running ??= run()
    },

    /** Waits for the current deliveries, and aborts them after the grace period. Their changes are sent again after the next start. */
    async stop() {
      if (!running || isStopping) return running
      isStopping = true
      waking.abort()
      for (const one of couriers.values()) one.end()
      const allEnded = Promise.all([running, ...[...couriers.values()].map((one) => one.running)])
      const timeUp = new AbortController()
      await Promise.race([
        allEnded,
        sleep(graceMs, undefined, { signal: timeUp.signal }).catch(() => undefined),
      ])
      timeUp.abort()
      await stopAll()
      await running
      if (isLeaseHeld) await release().catch(reportHealth)
    },

    metrics: () => ({
      ...counts,
      ...(isLeaseHeld && {
        behindMs: [...couriers].map(([id, one]) => [id, one.behindMs()] as const),
        haltedCount,
      }),
    }),
  }
}
