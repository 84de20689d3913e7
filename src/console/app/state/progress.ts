import { store } from './store.ts'

interface Progress {
  readonly done: number
  readonly total: number
}

export const progress = store<Progress | undefined>(undefined)

export const beginProgress = (count: number) => {
  const { done, total: of } = progress.get() ?? { done: 0, total: 0 }
  progress.set({ done, total: of + count })
}

export const advanceProgress = (count: number) => {
  const { done, total: of } = progress.get() ?? { done: 0, total: 0 }
  progress.set(done + count < of ? { done: done + count, total: of } : undefined)
}
