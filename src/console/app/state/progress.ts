import { store } from './store.ts'

interface Progress {
  readonly done: number
  readonly of: number
}

/** Changes of many records that are under way. */
export const progress = store<Progress | undefined>(undefined)

export const begin = (count: number) => {
  const { done, of } = progress.get() ?? { done: 0, of: 0 }
  progress.set({ done, of: of + count })
}

export const advance = (count: number) => {
  const { done, of } = progress.get() ?? { done: 0, of: 0 }
  progress.set(done + count < of ? { done: done + count, of } : undefined)
}
