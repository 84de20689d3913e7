import type { Listener } from './database.ts'

export interface Publication {
  readonly topic: string
  readonly payload: string
}

export const listeners = () => {
  const byTopic = new Map<string, Set<Listener>>()

  return {
    add(topic: string, listener: Listener) {
      const listening = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, listening.add(listener))
      return () => {
        if (listening.delete(listener) && listening.size === 0) byTopic.delete(topic)
      }
    },

    topics: () => [...byTopic.keys()],

    notifyLoss() {
      for (const listening of byTopic.values())
        for (const listener of listening) runIsolated(() => listener.onLoss())
    },

    notify({ topic, payload }: Publication) {
      for (const listener of byTopic.get(topic) ?? []) runIsolated(() => listener.onPayload(payload))
    },
  }
}

/** An error of a listener must not fail the publisher, so the error is thrown in a later microtask. */
const runIsolated = (call: () => void) => {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
