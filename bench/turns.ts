import { check, type Entry, enter, loadOf, partOf, type Racer } from './entry.ts'
import { median } from './figures.ts'
import type { Host } from './host.ts'
import { isAskedAlone, type Peer } from './peers.ts'
import type { Progress } from './progress.ts'
import { type Course, type Run, relay } from './relay.ts'
import { type Solo, solo } from './solo.ts'
import type { Workload } from './workloads.ts'

/** What a service did beside the others. */
export interface Sample {
  readonly peer: string
  readonly workload: string
  /** Counted through all rounds. */
  readonly turn: number
  /** Of this turn: what has the same one was measured within the same second or so. */
  readonly lap: number
  readonly perSecond: number
}

export interface Plan {
  readonly peers: readonly Peer[]
  readonly workloads: ReadonlySet<string>
  /** In each, all services are started anew. */
  readonly rounds: number
  /** How often all are measured with one workload in a round. */
  readonly turns: number
  readonly startedMs: number
  readonly warmMs: number
  /** In a turn each service runs so often, for so long each time. */
  readonly laps: number
  readonly legMs: number
  /** So long, in all, it is waited or measured again because the host took too much. */
  readonly patienceMs: number
  /** So often ours, and the ceiling beside them, are asked by themselves too. */
  readonly passes: number
}

export interface Sampled {
  readonly samples: readonly Sample[]
  readonly solos: readonly Solo[]
  /** What a service did not do under load, in a sentence each: that is not in the samples. */
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

/** So many times the laps, at most, until the host has left alone as many as are wanted. */
const againstTheft = 2

/** All who are measured side by side, turn by turn: beside each other, and then, if wanted, some by themselves. */
export const contest = async (racers: readonly Racer[], { plan, bench, round }: Round): Promise<Sampled> => {
  const { admit, race, goAlone, sampled } = openContest({ plan, bench })
  for (const racer of racers) await admit(racer)
  for (let inRound = 0; inRound < plan.turns; inRound++) {
    const turn = round * plan.turns + inRound
    await race(inRound, turn)
    await goAlone(inRound, turn)
    bench.progress.step(`turn ${turn + 1}  ${summary(sampled(), turn)}`)
  }
  return sampled()
}

/** Who fails once is out. */
const openContest = ({ plan, bench }: Omit<Round, 'round'>) => {
  const entries: Entry[] = []
  const samples: Sample[] = []
  const solos: Solo[] = []
  const failures = new Map<string, string>()
  const isIn = (peer: string, workload: string) => !failures.has(named(peer, workload))
  const remaining = () => entries.filter(({ peer, workload }) => isIn(peer, workload.name))
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

    async race(inRound: number, turn: number) {
      const racing = remaining().map((entry) => partOf(entry, inRound, partsOf(entry, plan)))
      const [first] = racing
      if (!first) return
      const runners = racing.map((entry) => ({ server: entry.server, load: loadOf(entry) }))
      const runs = await bench.host.watched(() => relay(runners, courseOf(plan, first.workload)))
      for (const [at, entry] of racing.entries())
        await attempt(entry.peer, entry.workload.name, () =>
          samples.push(...samplesOf(entry, runs[at]).map((sample) => ({ ...sample, turn }))),
        )
    },

    async goAlone(inRound: number, turn: number) {
      const alone = remaining().filter(goesAlone)
      const [first] = alone
      if (!first) return
      const { workload } = first
      const { laps, legMs } = courseOf(plan, workload)
      const pass = async (lap: number) => {
        const passed: Solo[] = []
        for (const entry of lap % 2 === 0 ? alone : alone.toReversed()) {
          const part = partOf(entry, plan.turns + inRound, partsOf(entry, plan))
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
      samples: samples.filter(({ peer, workload }) => isIn(peer, workload)),
      solos: solos.filter(({ peer, workload }) => isIn(peer, workload)),
      failures: [...failures.values()],
    }),
  }
}

const partsOf = (entry: Entry, { turns, passes }: Plan) =>
  passes > 0 && goesAlone(entry) ? turns * 2 : turns

const named = (peer: string, workload: string) => `${workload} of ${peer}`

const courseOf = ({ laps, legMs }: Plan, { isCrowd, once, lastsTimes = 1 }: Workload): Course => {
  const course = isCrowd ? { laps: 1, legMs: laps * legMs } : { laps, legMs: legMs * lastsTimes }
  return { ...course, mostLaps: isCrowd || once ? course.laps : course.laps * againstTheft }
}

const goesAlone = ({ server }: Entry) => isAskedAlone(server.peer)

const samplesOf = (entry: Entry, run: Run | Error | undefined): readonly Omit<Sample, 'turn'>[] => {
  if (!run || run instanceof Error) throw run ?? new Error('it did not run')
  check(run.outcome, entry)
  const of = { peer: entry.peer, workload: entry.workload.name }
  return run.perSecond.flatMap((perSecond, lap) => (perSecond === undefined ? [] : { ...of, lap, perSecond }))
}

const summary = ({ samples }: Sampled, turn: number) => {
  const ofTurn = samples.filter((sample) => sample.turn === turn)
  const named = Map.groupBy(ofTurn, ({ peer, workload }) => `${peer} ${workload}`)
  return [...named]
    .map(([name, some]) => `${name} ${Math.round(median(some.map(({ perSecond }) => perSecond)))}/s`)
    .join('  ')
}
