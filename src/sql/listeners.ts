import type { Listener } from './database.ts'

export type Listeners = ReturnType<typeof listeners>

/** Who listens to which topic in this process. */
export const listeners = () => {
  const byTopic = new Map<string, Set<Listener>>()

  return {
    add(topic: string, listener: Listener) {
      const listening = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, listening.add(listener))
      return () => void listening.delete(listener)
    },

    tell(topic: string, payload: string) {
      for (const listener of byTopic.get(topic) ?? []) listener.heard(payload)
    },
  }
}
