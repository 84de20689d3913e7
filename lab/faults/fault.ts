/** Something that goes wrong outside the service, and what the service promises in that case. */
export interface Fault {
  readonly name: string
  readonly engine: 'sqlite' | 'postgres'
  /** True if it runs in a network namespace of its own, where a firewall may be set up. */
  readonly apart?: boolean
  /** The promise, in a sentence. */
  readonly promise: string
  /** Why it cannot be run here, for example because a tool is missing. */
  readonly unable?: () => string | undefined
  /** What it starts is killed afterwards. */
  run(stage: Stage): Promise<Outcome>
}

export interface Stage {
  /** An empty directory, removed afterwards. */
  readonly directory: string
  /** The share of the rounds to run, 1 for all of them. */
  readonly size: number
  /** The share done, from 0 to 1, for display. */
  readonly progress: (share: number, words?: string) => void
}

export interface Outcome {
  /** The figure, in words. */
  readonly figure: string
  /** What broke the promise; if nothing did, it held. */
  readonly broken: readonly string[]
  /** What took longer than promised: judged only in the campaign, on a machine with nothing else to do. */
  readonly slow?: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

/** The number of rounds at the size of the stage. */
export const rounds = (stage: Stage, all: number) => Math.max(1, Math.round(all * stage.size))
