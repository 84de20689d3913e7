import { join } from 'node:path'
import type { Peer } from './peers.ts'
import { seed } from './seed.ts'
import { startServer } from './server.ts'
import { type Bench, contest, type Guest, type Plan, type Round, type Sampled } from './turns.ts'
import { askedOf, large, small, type Workload } from './workloads.ts'

/** How many todos there are, and what is asked then. */
const fillings = [
  { size: 100, list: small },
  { size: 1000, list: large },
]

/**
 * Every workload is asked of one service after another in short turns, in an order that turns too: what is compared was
 * measured within seconds, for the machine may be another minutes later.
 */
export const runRounds = async (plan: Plan, bench: Bench): Promise<Sampled> => {
  const rounds: Sampled[] = []
  for (let round = 0; round < plan.rounds; round++) rounds.push(await oneRound({ plan, bench, round }))
  return joined(rounds)
}

const joined = (all: readonly Sampled[]): Sampled => ({
  samples: all.flatMap(({ samples }) => samples),
  failures: all.flatMap(({ failures }) => failures),
})

export const stepsOf = ({ peers, workloads, rounds, turns }: Plan) =>
  rounds *
  turns *
  [...small, ...large].filter(({ name }) => workloads.has(name)).flatMap((each) => askedBy(each, peers))
    .length

const askedBy = (workload: Workload, peers: readonly Peer[]) =>
  peers.filter((peer) => askedOf(peer, [workload]).length > 0)

const oneRound = async (round: Round): Promise<Sampled> => {
  const { plan, bench } = round
  const contests: Sampled[] = []
  const guests = new Map<Peer, Guest>()
  try {
    for (const peer of plan.peers) guests.set(peer, await invite(peer, bench))
    for (const { size, list } of fillings) {
      for (const guest of guests.values()) guest.site = await seed(guest.server, guest.site.ids, size)
      for (const workload of list.filter(({ name }) => plan.workloads.has(name))) {
        const asked = askedBy(workload, plan.peers).flatMap((peer) => guests.get(peer) ?? [])
        contests.push(await contest(workload, asked, round))
      }
    }
  } finally {
    await Promise.all([...guests.values()].map(({ server }) => server.stop()))
  }
  return joined(contests)
}

const invite = async (peer: Peer, { newDatabase, folder }: Bench): Promise<Guest> => {
  const place = { database: await newDatabase(peer), log: join(folder, `${peer.name}.log`) }
  const server = await startServer(peer, place)
  return { server, site: await seed(server, [], 0), isFresh: true }
}
