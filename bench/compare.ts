import { join } from 'node:path'
import { others, ours, type Peer } from './peers.ts'
import { type Cluster, openCluster } from './postgres.ts'
import { openProgress } from './progress.ts'
import { takenByOthers } from './quiet.ts'
import { circumstances, keep } from './results.ts'
import { type Plan, runRounds, stepsOf } from './rounds.ts'
import { openScratch } from './scratch.ts'
import { smoke } from './smoke.ts'
import { workloads } from './workloads.ts'

export type Form = 'quick' | 'full'

export interface Comparison extends ReturnType<typeof circumstances> {
  readonly form: Form
  /** The share of the machine that other programs took before it began. */
  readonly taken: number
  readonly rounds: number
  readonly measuredMs: number
  readonly samples: Awaited<ReturnType<typeof runRounds>>
  readonly missing: readonly string[]
}

export interface Choice {
  readonly form: Form
  /** Names; all of the form when absent. */
  readonly peers?: readonly string[] | undefined
  readonly workloads?: readonly string[] | undefined
  readonly rounds?: number | undefined
}

const forms = {
  quick: { rounds: 3, warmMs: 200, measuredMs: 500 },
  full: { rounds: 5, warmMs: 800, measuredMs: 2000 },
}

/** Figures waver beyond it. */
const mostTaken = 0.05

/** Every service beside every other, in one run. */
export const compare = async (choice: Choice): Promise<Comparison> => {
  const { peers, missing } = present(choice)
  const plan = planOf(choice, peers)
  const progress = openProgress(stepsOf(plan))
  const scratch = openScratch()
  const cluster = peers.some(({ engine }) => engine === 'postgres')
    ? await openCluster(scratch.folder)
    : undefined
  const bench = { folder: scratch.folder, newDatabase: databases(scratch.folder, cluster), progress }
  for (const line of missing) progress.say(line)
  const taken = await takenByOthers()
  if (taken > mostTaken) progress.say(`Other programs take ${Math.round(taken * 100)} % of this machine.`)
  try {
    for (const peer of peers) {
      await smoke(peer, {
        database: await bench.newDatabase(peer),
        log: join(scratch.folder, `${peer.name}.log`),
      })
    }
    const samples = await runRounds(plan, bench)
    const { rounds, measuredMs } = plan
    const comparison = { ...circumstances(), taken, form: choice.form, rounds, measuredMs, missing, samples }
    keep('compare', comparison)
    return comparison
  } finally {
    progress.close()
    await cluster?.close()
    scratch.close()
  }
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

/** A new, empty database each time it is asked. */
const databases = (folder: string, cluster: Cluster | undefined) => {
  let count = 0
  return async ({ engine }: Peer) =>
    engine === 'postgres' && cluster ? cluster.create() : join(folder, `bench-${count++}.db`)
}
