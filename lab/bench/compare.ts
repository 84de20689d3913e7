import { join } from 'node:path'
import { type StealTime, watchHost } from './host.ts'
import type { Leg } from './leg.ts'
import { others, ours, type Peer } from './peers.ts'
import { openCluster } from './postgres.ts'
import { openProgress } from './progress.ts'
import { circumstances } from './results.ts'
import { runRounds, stepsOf } from './rounds.ts'
import { openScratch } from './scratch.ts'
import { smoke } from './smoke.ts'
import type { Bench, Plan } from './turns.ts'
import { workloads } from './workloads.ts'

export type Form = 'quick' | 'full'

export interface Comparison extends ReturnType<typeof circumstances> {
  readonly form: Form
  readonly stolen: StealTime
  readonly rounds: number
  readonly laps: number
  readonly legs: readonly Leg[]
  readonly missing: readonly string[]
}

export interface Choice {
  readonly form: Form
  /** By name; all peers of the form when absent. */
  readonly peers?: readonly string[] | undefined
  readonly workloads?: readonly string[] | undefined
  readonly rounds?: number | undefined
}

/** They differ only in how often: six laps are the fewest whose interval is 95 % certain. */
const forms = {
  quick: { rounds: 2, laps: 3, patienceMs: 60_000 },
  full: { rounds: 3, laps: 3, patienceMs: 2_400_000 },
}

/** Measures all services side by side, in one run. */
export const compare = async (choice: Choice): Promise<Comparison> => {
  const { peers, missing } = present(choice)
  const plan = planOf(choice, peers)
  const { form } = choice
  const { rounds, laps } = plan
  const bench = await openBench(plan)
  try {
    const { able, unable } = await smokeAll(peers, bench)
    for (const line of [...missing, ...unable]) bench.progress.print(`Not measured: ${line}`)
    const { legs, failures } = await runRounds({ ...plan, peers: able }, bench)
    const where = { ...circumstances(), form, stolen: bench.host.stolen(), rounds, laps }
    return { ...where, missing: [...missing, ...unable, ...failures], legs }
  } finally {
    await bench.close()
  }
}

/** With what was measured of the same code on the other engine, so that each can be measured alone. */
export const withOtherEngine = (now: Comparison, before: Comparison | undefined): Comparison => {
  if (before?.commit !== now.commit || before.host !== now.host) return now
  const measured = new Set(now.legs.map(isOnPostgres))
  return { ...now, legs: [...before.legs.filter((leg) => !measured.has(isOnPostgres(leg))), ...now.legs] }
}

const onPostgres = new Set(
  [...ours, ...others].filter(({ engine }) => engine === 'postgres').map(({ name }) => name),
)
const isOnPostgres = ({ peer }: Leg) => onPostgres.has(peer)

/** A folder for databases and logs, and a PostgreSQL server if one of the services needs it. */
export const openBench = async (plan: Plan) => {
  const { folder, close } = openScratch()
  const progress = openProgress(stepsOf(plan))
  const cluster = plan.peers.some(({ engine }) => engine === 'postgres')
    ? await openCluster(folder)
    : undefined
  let count = 0
  return {
    folder,
    progress,
    host: watchHost(plan.patienceMs),
    newDatabase: async ({ engine }: Peer) =>
      engine === 'postgres' && cluster ? cluster.create() : join(folder, `bench-${count++}.db`),
    async close() {
      progress.close()
      await cluster?.close()
      close()
    },
  }
}

/** Separates the services that support the workloads from those that do not. */
const smokeAll = async (peers: readonly Peer[], { folder, newDatabase }: Bench) => {
  const able: Peer[] = []
  const unable: string[] = []
  for (const peer of peers) {
    const place = { database: await newDatabase(peer), log: join(folder, `${peer.name}.log`) }
    await smoke(peer, place).then(
      () => able.push(peer),
      ({ message, cause }: Error) => unable.push(`${peer.title} (${peer.name}): ${cause ?? message}`),
    )
  }
  return { able, unable }
}

const present = ({ form, peers: names }: Choice) => {
  const wanted = [...ours, ...others].filter(({ name, quick }) =>
    names ? names.includes(name) : form === 'full' || quick,
  )
  return {
    peers: wanted.filter(({ missing }) => missing === undefined),
    missing: wanted.flatMap(({ title, missing }) => (missing === undefined ? [] : [`${title}: ${missing}`])),
  }
}

const planOf = (choice: Choice, peers: readonly Peer[]): Plan => {
  const { form } = choice
  const names = workloads.filter(({ quick }) => form === 'full' || quick).map(({ name }) => name)
  const rounds = choice.rounds ?? forms[form].rounds
  return { ...forms[form], rounds, peers, workloads: new Set(choice.workloads ?? names) }
}
