import { type Entry, partOf, prepareEntry, type Racer } from './entry.ts'
import { intervalOf } from './figures.ts'
import type { Host } from './host.ts'
import { type Leg, runLeg } from './leg.ts'
import type { Peer } from './peers.ts'
import type { Progress } from './progress.ts'

export interface Plan {
  readonly peers: readonly Peer[]
  readonly workloads: ReadonlySet<string>
  /** All services are started anew for each round. */
  readonly rounds: number
  /** In a round each service gets each workload for so many legs, in turn with the others. */
  readonly laps: number
  /** The total time that may be spent waiting and measuring again because the host took too much. */
  readonly patienceMs: number
}

export interface ContestResult {
  readonly legs: readonly Leg[]
  /** What services failed to do under load, a sentence for each. The legs leave it out. */
  readonly failures: readonly string[]
}

export interface Bench {
  readonly folder: string
  readonly newDatabase: (peer: Peer) => Promise<string>
  readonly progress: Progress
  readonly host: Host
}

export interface Round {
  readonly plan: Plan
  readonly bench: Bench
  readonly round: number
}

/** Loads services in turn, leg by leg. Each lap has the reverse order of the one before. A service that fails once is out. */
export const contest = async (
  racers: readonly Racer[],
  { plan, bench, round }: Round,
): Promise<ContestResult> => {
  const entries: Entry[] = []
  const failures = new Map<string, string>()
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    if (failures.has(name)) return
    await work().catch(({ message }: Error) => failures.set(name, `${name}: ${message}`))
  }
  const runLap = async (lap: number) => {
    const legs: Leg[] = []
    for (const entry of lap % 2 === 0 ? entries : entries.toReversed()) {
      const part = partOf(entry, lap, plan.laps)
      await attempt(named(entry.peer, entry.workload.name), async () =>
        legs.push(await runLeg(part, round * plan.laps + lap)),
      )
    }
    return legs
  }
  for (const racer of racers)
    await attempt(named(racer.guest.server.peer.name, racer.workload.name), async () =>
      entries.push(await prepareEntry(racer)),
    )
  const all: Leg[] = []
  for (let lap = 0; lap < plan.laps; lap++) {
    const isOnce = entries.some(({ workload }) => workload.once)
    all.push(...(await bench.host[isOnce ? 'watched' : 'undisturbed'](() => runLap(lap))))
  }
  const legs = all.filter(({ peer, workload }) => !failures.has(named(peer, workload)))
  bench.progress.step(`round ${round + 1}  ${summary(legs)}`)
  return { legs, failures: [...failures.values()] }
}

const named = (peer: string, workload: string) => `${workload} of ${peer}`

const summary = (legs: readonly Leg[]) =>
  [...Map.groupBy(legs, ({ peer, workload }) => `${peer} ${workload}`)]
    .map(
      ([name, some]) => `${name} ${Math.round(intervalOf(some.map(({ perSecond }) => perSecond)).median)}/s`,
    )
    .join('  ')
