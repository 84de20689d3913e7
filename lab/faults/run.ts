import { loadavg } from 'node:os'
import { readArguments } from '#lab/arguments.ts'
import { runUntilNotVoid } from './apart.ts'
import type { Fault, Outcome } from './fault.ts'
import { faults } from './faults.ts'
import { type FaultResult, write } from './result.ts'
import { table } from './table.ts'
import { line } from './terminal.ts'

const usage = `npm --prefix lab run faults [-- words] [--size 0.1] [--write]

  words    only the faults whose names or engine (sqlite, postgres) contain all of these
  --size   the share of their rounds: 1 is all of them
  --write  write the result to docs/durability
`

const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
})

const chosen = faults.filter(({ name, engine }) =>
  positionals.every((word) => `${name} (${engine})`.includes(word)),
)
if (chosen.length === 0) {
  process.stderr.write(`No fault has a name that contains all of these: ${positionals.join(', ')}\n`)
  process.exit(2)
}

const tryOne = async (fault: Fault): Promise<FaultResult> => {
  const { name, engine, promise } = fault
  const properties = { name, engine, promise, size: Number(values.size), loadAverage: loadavg()[0] ?? 0 }
  const reason = fault.unable?.()
  if (reason) return { ...properties, seconds: 0, outcome: undefined, reason }
  const startedAt = performance.now()
  const progressLine = line(`${name} (${engine})`)
  const outcome = await runUntilNotVoid({
    fault,
    size: Number(values.size),
    progress: progressLine.progress,
  })
  progressLine.end(verdictOf(outcome))
  return { ...properties, seconds: (performance.now() - startedAt) / 1000, outcome, reason: undefined }
}

const verdictOf = ({ figure, broken, slow = [] }: Outcome) => {
  const problems = [...broken, ...slow]
  return problems.length === 0
    ? `held: ${figure}`
    : `BROKEN: ${figure}\n${problems.map((problem) => `    ${problem}\n`).join('')}`
}

const tried: FaultResult[] = []
for (const fault of chosen) {
  tried.push(await tryOne(fault))
  if (values.write) write({ tried, caught: [] })
}
process.stdout.write(`\n${table({ tried, caught: [] })}\n`)

const isBroken = tried.some(
  ({ outcome }) => outcome && outcome.broken.length + (outcome.slow?.length ?? 0) > 0,
)
process.exitCode = isBroken ? 1 : 0
