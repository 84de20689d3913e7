import type { Listener } from './database.ts'

export interface Publication {
  readonly topic: string
  readonly payload: string
}

/** Who listens to which topic in this process. */
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

    missed() {
      for (const listening of byTopic.values())
        for (const listener of listening) unharmed(() => listener.missed())
    },

    tell({ topic, payload }: Publication) {
      for (const listener of byTopic.get(topic) ?? []) unharmed(() => listener.heard(payload))
    },
  }
}

/** A failing listener must not fail the publisher: its error is thrown later, outside. */
const unharmed = (tell: () => void) => {
  try {
    tell()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
