import { median } from '#lab/median.ts'
import { check, type Entry, enter, loadOf, partOf, type Racer } from './entry.ts'
import type { Host } from './host.ts'
import { isMeasuredAlone, type Peer } from './peers.ts'
import type { Progress } from './progress.ts'
import { type Course, type Run, relay } from './relay.ts'
import { type Solo, solo } from './solo.ts'
import type { Workload } from './workloads.ts'

/** What a service did side by side with the others. */
export interface Sample {
  readonly peer: string
  readonly workload: string
  /** Numbered across all rounds. */
  readonly turn: number
  /** Within this turn: samples with the same lap were measured within a second or so. */
  readonly lap: number
  readonly perSecond: number
}

export interface Plan {
  readonly peers: readonly Peer[]
  readonly workloads: ReadonlySet<string>
  /** All services are restarted for each round. */
  readonly rounds: number
  readonly startedMs: number
  readonly warmMs: number
  /** In a turn each service runs `laps` times, for `legMs` each. */
  readonly laps: number
  readonly legMs: number
  /** The total time that may be spent waiting and measuring again because the host took too much. */
  readonly patienceMs: number
  /** How often ours, and the ceiling next to them, are also measured alone. */
  readonly passes: number
}

export interface Sampled {
  readonly samples: readonly Sample[]
  readonly solos: readonly Solo[]
  /** What services failed to do under load, a sentence for each. The samples leave it out. */
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

/** Up to this many times the planned laps are run, until the host has left enough of them alone. */
const maxLapFactor = 2

/** Measures services turn by turn: side by side and then, if the plan says so, some of them alone. */
export const contest = async (racers: readonly Racer[], { plan, bench, round }: Round): Promise<Sampled> => {
  const { admit, race, runAlone, sampled } = openContest({ plan, bench })
  for (const racer of racers) await admit(racer)
  await race(round)
  await runAlone(round)
  bench.progress.step(`turn ${round + 1}  ${summary(sampled())}`)
  return sampled()
}

/** A service that fails a workload once is out of it. */
const openContest = ({ plan, bench }: Omit<Round, 'round'>) => {
  const entries: Entry[] = []
  const samples: Sample[] = []
  const solos: Solo[] = []
  const failures = new Map<string, string>()
  const isEligible = (peer: string, workload: string) => !failures.has(named(peer, workload))
  const remaining = () => entries.filter(({ peer, workload }) => isEligible(peer, workload.name))
  const attempt = async (peer: string, workload: string, work: () => unknown) => {
    try {
      await work()
    } catch (error) {
      failures.set(named(peer, workload), `${named(peer, workload)}: ${(error as Error).message}`)
    }
  }
  return {
    admit: (racer: Racer) =>
      attempt(racer.guest.server.peer.name, racer.workload.name, async () =>
        entries.push(await enter(racer, plan)),
      ),

    async race(turn: number) {
      const racing = remaining().map((entry) => partOf(entry, 0, partsOf(entry, plan)))
      const [first] = racing
      if (!first) return
      const runners = racing.map((entry) => ({ server: entry.server, load: loadOf(entry) }))
      const runs = await bench.host.watched(() => relay(runners, courseOf(plan, first.workload)))
      for (const [at, entry] of racing.entries())
        await attempt(entry.peer, entry.workload.name, () =>
          samples.push(...samplesOf(entry, runs[at]).map((sample) => ({ ...sample, turn }))),
        )
    },

    async runAlone(turn: number) {
      const alone = remaining().filter(runsAlone)
      const [first] = alone
      if (!first) return
      const { workload } = first
      const { laps, legMs } = courseOf(plan, workload)
      const pass = async (lap: number) => {
        const passed: Solo[] = []
        for (const entry of lap % 2 === 0 ? alone : alone.toReversed()) {
          const part = partOf(entry, 1, partsOf(entry, plan))
          const measure = async () => passed.push({ ...(await solo(part, laps * legMs)), turn, lap })
          await attempt(entry.peer, entry.workload.name, measure)
        }
        return passed
      }
      const passes = workload.once ? Math.min(plan.passes, 1) : plan.passes
      for (let lap = 0; lap < passes; lap++)
        solos.push(...(await (workload.once ? pass(lap) : bench.host.undisturbed(() => pass(lap)))))
    },

    sampled: (): Sampled => ({
      samples: samples.filter(({ peer, workload }) => isEligible(peer, workload)),
      solos: solos.filter(({ peer, workload }) => isEligible(peer, workload)),
      failures: [...failures.values()],
    }),
  }
}

/** One to be run side by side, and one to be run alone. */
const partsOf = (entry: Entry, { passes }: Plan) => (passes > 0 && runsAlone(entry) ? 2 : 1)

const named = (peer: string, workload: string) => `${workload} of ${peer}`

const courseOf = ({ laps, legMs }: Plan, { isCrowd, once, legFactor = 1 }: Workload): Course => {
  const course = isCrowd ? { laps: 1, legMs: laps * legMs } : { laps, legMs: legMs * legFactor }
  return { ...course, maxLaps: isCrowd || once ? course.laps : course.laps * maxLapFactor }
}

const runsAlone = ({ server }: Entry) => isMeasuredAlone(server.peer)

const samplesOf = (entry: Entry, run: Run | Error | undefined): readonly Omit<Sample, 'turn'>[] => {
  if (!run || run instanceof Error) throw run ?? new Error('it did not run')
  check(run.outcome, entry)
  const identity = { peer: entry.peer, workload: entry.workload.name }
  return run.perSecond.flatMap((perSecond, lap) =>
    perSecond === undefined ? [] : { ...identity, lap, perSecond },
  )
}

const summary = ({ samples }: Sampled) => {
  const named = Map.groupBy(samples, ({ peer, workload }) => `${peer} ${workload}`)
  return [...named]
    .map(([name, some]) => `${name} ${Math.round(median(some.map(({ perSecond }) => perSecond)))}/s`)
    .join('  ')
}
