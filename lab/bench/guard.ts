import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBench } from './compare.ts'
import { ratioOf } from './figures.ts'
import { others, ours } from './peers.ts'
import { runRounds } from './rounds.ts'
import { round } from './tables.ts'
import type { Plan } from './turns.ts'

const file = join(import.meta.dirname, 'guard.json')
const maxGrowth = 1.15

const plan: Plan = {
  peers: [...ours, ...others].filter(({ name }) => ['rollcall', 'node-http'].includes(name)),
  workloads: new Set(['get', 'not-modified', 'list', 'create', 'finish', 'unknown', 'invalid']),
  rounds: 2,
  turns: 5,
  startedMs: 2000,
  warmMs: 2000,
  laps: 20,
  legMs: 50,
  patienceMs: 120_000,
  passes: 0,
}

/** The cost of a request of each workload, in requests of the ceiling. */
type Costs = Readonly<Record<string, number>>

/** Compares the cost of a request with its cost when the guard was set: ratios of rates measured side by side, no seconds. */
export const guard = async (set: boolean): Promise<boolean> => {
  const costs = await measure()
  if (set || !existsSync(file)) {
    writeFileSync(file, `${JSON.stringify(costs, undefined, 2)}\n`)
    return true
  }
  const before = JSON.parse(readFileSync(file, 'utf8')) as Costs
  const worse = Object.entries(costs).filter(([name, cost]) => cost > (before[name] ?? cost) * maxGrowth)
  for (const [name, cost] of worse)
    process.stdout.write(`${name}: ${round(cost)} times the ceiling, it was ${round(before[name] ?? 0)}\n`)
  return worse.length === 0
}

const measure = async (): Promise<Costs> => {
  const bench = await openBench(plan)
  try {
    const { samples } = await runRounds(plan, bench)
    return Object.fromEntries(
      [...plan.workloads].map((workload) => [
        workload,
        ratioOf(samples, { peer: 'node-http', workload }, { peer: 'rollcall', workload }) ?? Number.NaN,
      ]),
    )
  } finally {
    await bench.close()
  }
}
