import { openBench } from './compare.ts'
import { prepareEntry, type StartedPeer } from './entry.ts'
import { ratioOf } from './figures.ts'
import { type Leg, runLeg } from './leg.ts'
import { others, ours } from './peers.ts'
import { startPeer } from './rounds.ts'
import { seed } from './seed.ts'
import { plainTable, timesWithin } from './tables.ts'
import { workloads } from './workloads.ts'

const lengthsMs = [50, 200, 500, 1000, 2000]
const laps = 12
const todos = 1000
const peer = 'rollcall'
const rival = 'fastify-sqlite'
const names = ['get', 'create']

/** The same ratios by legs of several lengths, in one run: from where on they stay is the length to measure with. */
export const legs = async () => {
  const peers = [...ours, ...others].filter(({ name }) => [peer, rival].includes(name))
  const bench = await openBench({ peers, workloads: new Set(names), rounds: 1, laps, patienceMs: 0 })
  const guests: StartedPeer[] = []
  try {
    for (const one of peers) guests.push(await startPeer(one, bench))
    for (const guest of guests) guest.site = await seed(guest.server, [], todos)
    const columns: { readonly title: string; readonly cells: readonly string[] }[] = []
    for (const workload of workloads.filter(({ name }) => names.includes(name))) {
      const entries = []
      for (const guest of guests) entries.push(await prepareEntry({ guest, workload }))
      const ran: { readonly ms: number; readonly leg: Leg }[] = []
      for (let lap = 0; lap < laps; lap++)
        for (const ms of lengthsMs)
          for (const entry of lap % 2 === 0 ? entries : entries.toReversed())
            await runLeg(entry, lap, ms).then(
              (leg) => ran.push({ ms, leg }),
              // On a busy machine a short leg may end before the first answer.
              ({ message }: Error) => bench.progress.print(`${entry.peer}, ${ms} ms: ${message}`),
            )
      const cells = lengthsMs.map((length) => {
        const some = ran.filter(({ ms }) => ms === length).map(({ leg }) => leg)
        const ratio = ratioOf(
          some,
          { peer, workload: workload.name },
          { peer: rival, workload: workload.name },
        )
        return timesWithin(ratio)
      })
      columns.push({ title: workload.title, cells })
      bench.progress.step(`${workload.title}  ${cells.join('  ')}`)
    }
    const rows = lengthsMs.map((ms, at) => [`${ms} ms`, ...columns.map(({ cells }) => cells[at] ?? '')])
    const head = ['legs of', ...columns.map(({ title }) => title)]
    process.stdout.write(`Rollcall relative to ${rival}\n${plainTable({ head, rows })}\n`)
  } finally {
    await Promise.all(guests.map(({ server }) => server.stop()))
    await bench.close()
  }
}
