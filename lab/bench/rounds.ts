import { join } from 'node:path'
import type { StartedPeer } from './entry.ts'
import type { Peer } from './peers.ts'
import { seed } from './seed.ts'
import { startServer } from './server.ts'
import { type Bench, type ContestResult, contest, type Plan, type Round } from './turns.ts'
import { largeWorkloads, smallWorkloads, type Workload, workloadsFor } from './workloads.ts'

/** How many todos a service holds, and the workloads it then gets. */
const fillings = [
  { size: 100, list: smallWorkloads },
  { size: 1000, list: largeWorkloads },
]

/** Every workload goes to all services in turn: minutes later the machine may behave differently. */
export const runRounds = async (plan: Plan, bench: Bench): Promise<ContestResult> => {
  const rounds: ContestResult[] = []
  for (let round = 0; round < plan.rounds; round++) rounds.push(await oneRound({ plan, bench, round }))
  return joined(rounds)
}

const joined = (all: readonly ContestResult[]): ContestResult => ({
  legs: all.flatMap(({ legs }) => legs),
  failures: all.flatMap(({ failures }) => failures),
})

export const stepsOf = (plan: Plan) =>
  plan.rounds * fillings.flatMap(({ list }) => racesOf(list, plan)).length

/** Which services run side by side, with which workloads: those on PostgreSQL, and those on SQLite with those on no database. */
const racesOf = (list: readonly Workload[], { peers, workloads }: Plan) => {
  const chosen = list.filter(({ name }) => workloads.has(name))
  const heats = [...Map.groupBy(chosen, ({ name, beside = name }) => beside).values()]
  return heats.flatMap((heat) => {
    const entered = heat.flatMap((workload) =>
      peers.filter((peer) => workloadsFor(peer, [workload]).length > 0).map((peer) => ({ peer, workload })),
    )
    return [...Map.groupBy(entered, ({ peer }) => peer.engine === 'postgres').values()]
  })
}

const oneRound = async (round: Round): Promise<ContestResult> => {
  const { plan, bench } = round
  const contests: ContestResult[] = []
  const guests = new Map<Peer, StartedPeer>()
  try {
    for (const peer of plan.peers) guests.set(peer, await startPeer(peer, bench))
    for (const { size, list } of fillings) {
      for (const guest of guests.values()) guest.site = await seed(guest.server, guest.site.ids, size)
      for (const race of racesOf(list, plan)) {
        const racers = race.flatMap(({ peer, workload }) => {
          const guest = guests.get(peer)
          return guest ? { guest, workload } : []
        })
        contests.push(await contest(racers, round))
      }
    }
  } finally {
    await Promise.all([...guests.values()].map(({ server }) => server.stop()))
  }
  return joined(contests)
}

export const startPeer = async (peer: Peer, { newDatabase, folder }: Bench): Promise<StartedPeer> => {
  const place = { database: await newDatabase(peer), log: join(folder, `${peer.name}.log`) }
  const server = await startServer(peer, place)
  return { server, site: await seed(server, [], 0) }
}
