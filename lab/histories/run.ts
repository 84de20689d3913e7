import { readArguments } from '#lab/arguments.ts'
import { openService } from '#lab/service.ts'
import { freshFolder } from '../../test/fresh-folder.ts'
import { check } from './checker.ts'
import { writeEnding } from './final-read.ts'
import { startLoad } from './load.ts'
import { recorder } from './recorder.ts'

const usage = `npm --prefix lab run histories [-- url …] [--seconds 60]

  url        instances of one service that nobody else uses, with open access; by default one is started
  --seconds  how long the load lasts
`

const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' } },
})

const service =
  positionals.length > 0
    ? undefined
    : await openService({ databaseUrl: `sqlite:${freshFolder()}/rollcall.db` })
const urls = service ? [service.url] : positionals
const history = recorder()
const load = startLoad({ urls, recorder: history, memberProcesses: 2 })
await history.goOn({ ms: Number(values.seconds) * 1000 })
await load.stop()
await writeEnding({ url: urls[0] ?? '', recorder: history })
await service?.end('SIGTERM')

const { findings, void: reasons, figures } = check(history.events)
for (const { check, key, says } of findings) console.log(`${check} ${key}: ${says}`)
for (const reason of reasons) console.log(`void: ${reason}`)
console.log(
  `${figures.operations} operations, ${figures.acknowledgedWrites} acknowledged writes on ${figures.records} records: ${findings.length} lost, doubled, stale or out of order`,
)
process.exitCode = findings.length + reasons.length === 0 ? 0 : 1
