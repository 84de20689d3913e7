import { parseArgs } from 'node:util'
import { install } from './install.ts'

const usage = `npm run bench -- [what] [--peers a,b] [--workloads a,b] [--rounds n] [--print]

  quick        the main peers beside each other, in three minutes (without a word)
  full         all peers and workloads
  report       writes docs/benchmarks.md again from what was measured last
`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: 'string' },
    workloads: { type: 'string' },
    rounds: { type: 'string' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [what = 'quick'] = positionals

const run = async () => {
  install()
  const { compare } = await import('./compare.ts')
  const { printReport, writeReport } = await import('./report.ts')
  if (what === 'quick' || what === 'full')
    await compare({
      form: what,
      peers: values.peers?.split(','),
      workloads: values.workloads?.split(','),
      rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    })
  process.stdout.write(printReport())
  if (!values.print) writeReport()
}

if (values.help || !['quick', 'full', 'report'].includes(what)) process.stdout.write(usage)
else await run()
