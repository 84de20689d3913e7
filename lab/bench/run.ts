import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '#lab/arguments.ts'

const usage = `npm --prefix lab run bench -- [what] [--peers a,b] [--workloads a,b] [--rounds n] [--print]

  quick        the main peers side by side, in eight minutes (the default)
  full         all peers and workloads, in more than an hour
  legs         whether a leg is long enough: the same ratios by legs of 0.05 to 2 s
  growth       five thousand, a hundred thousand, a million members
  neighbours   whether callers wait for each other
  idle         start, memory, connections
  disks        on disks that take 0, 1, 10 and 50 ms to sync
  instances    one instance and two on PostgreSQL, next to the prediction
  all          all of these except quick
  report       rewrites docs/benchmarks.md and the page of this host from the last results

With --print, the results of quick and full are printed and not kept.
`

const { positionals, values } = readArguments(usage, {
  allowPositionals: true,
  options: {
    peers: { type: 'string' },
    workloads: { type: 'string' },
    rounds: { type: 'string' },
    print: { type: 'boolean', default: false },
  },
})
const [what = 'quick'] = positionals

/** Loaded when chosen: by then the peers are installed. */
const measures: Readonly<Record<string, () => Promise<unknown>>> = {
  quick: () => comparison('quick'),
  full: () => comparison('full'),
  growth: async () => (await import('./growth.ts')).growth(),
  neighbours: async () => (await import('./neighbours.ts')).neighbours(),
  idle: async () => (await import('./idle.ts')).idle(),
  disks: async () => (await import('./disks.ts')).disks(),
  instances: async () => (await import('./instances.ts')).instances(),
  all: async () => {
    for (const name of ['full', 'disks', 'growth', 'neighbours', 'idle', 'instances'])
      await measures[name]?.()
  },
  legs: async () => (await import('./legs.ts')).legs(),
  report: async () => {},
}

const comparison = async (form: 'quick' | 'full') => {
  const { compare, withOtherEngine } = await import('./compare.ts')
  const { terminalText: printed } = await import('./report.ts')
  const { saveResult: keep, readResult: kept } = await import('./results.ts')
  const { others, ours } = await import('./peers.ts')
  const all = await import('./workloads.ts')
  const peers = namesIn(values.peers, [...ours, ...others])
  const workloads = namesIn(values.workloads, all.workloads)
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  const compared = await compare({ form, peers, workloads, rounds })
  if (!values.print) keep('compare', withOtherEngine(compared, kept('compare')))
  process.stdout.write(printed(compared))
}

const namesIn = (list: string | undefined, known: readonly { readonly name: string }[]) => {
  const names = list?.split(',')
  const unknown = names?.find((given) => !known.some(({ name }) => name === given))
  if (unknown !== undefined)
    refuse(`Unknown: ${unknown}. Known are ${known.map(({ name }) => name).join(', ')}.`)
  return names
}

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n\n${usage}`)
  process.exit(2)
}

const measureAndReport = async (measure: () => Promise<unknown>) => {
  install()
  await measure()
  if (values.print || what === 'legs') return
  const { writeReport } = await import('./report.ts')
  writeReport()
  process.stdout.write('docs/benchmarks.md is written.\n')
}

const lab = join(import.meta.dirname, '..')
const nest = join(lab, 'bench/peers/nest')

/** Installs the dependencies of the peers and builds them, if that is not done. */
const install = () => {
  for (const tool of ['wrk', 'stdbuf'])
    if (spawnSync(tool, ['--version']).error) refuse(`The load needs ${tool}: apt-get install wrk coreutils.`)
  const installed = join(lab, 'node_modules/.package-lock.json')
  if (!isUpToDate(installed, join(lab, 'package-lock.json'))) runOnce('npm', ['ci'], lab)
  const built = join(nest, 'dist/main.js')
  if (!isUpToDate(built, join(nest, 'src/main.ts'))) runOnce('npx', ['tsc', '-p', 'tsconfig.json'], nest)
}

const isUpToDate = (target: string, source: string) =>
  existsSync(target) && statSync(target).mtimeMs >= statSync(source).mtimeMs

const runOnce = (command: string, args: readonly string[], cwd: string) => {
  process.stderr.write(`${command} ${args.join(' ')}, once\n`)
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', process.stderr, process.stderr] })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`)
}

const measure = measures[what]
if (measure) await measureAndReport(measure)
else refuse(`There is no command ${what}.`)
