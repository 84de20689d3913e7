import type { Timeline } from '../histories/timeline.ts'

/** Something that goes wrong in the world, and what the service is to make of it. */
export interface Fault {
  readonly name: string
  readonly engine: 'sqlite' | 'postgres'
  /** Runs in a network of its own, where a firewall may be set up. */
  readonly apart?: boolean
  /** What is promised, in a sentence. */
  readonly promise: string
  /** Why it cannot be tried here, such as a missing tool. */
  readonly unable?: () => string | undefined
  run(stage: Stage): Promise<Outcome>
}

export interface Stage {
  /** An empty directory, removed afterwards. */
  readonly directory: string
  /** From 0.1 in the quick form to 1 in the whole campaign: of rounds and seconds. */
  readonly size: number
  /** A share from 0 to 1, for the one who watches. */
  readonly progress: (share: number, words?: string) => void
}

export interface Outcome {
  /** The one figure, for people. */
  readonly figure: string
  /** What was broken; none means that the promise held. */
  readonly broken: readonly string[]
  /** What took longer than promised: judged where the machine has nothing else to do. */
  readonly slow?: readonly string[]
  readonly figures: Readonly<Record<string, number>>
  readonly timeline?: Timeline
}

/** A number of rounds that shrinks with the stage. */
export const rounds = (stage: Stage, whole: number) => Math.max(1, Math.round(whole * stage.size))
