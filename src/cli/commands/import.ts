import { statSync } from 'node:fs'
import { Command, Option } from 'commander'
import type { Engine } from '#sql/engine.ts'
import { kinds, onDatabase, orAsk, withDatabase, withUntouchedDatabase } from '#src/cli/data.ts'
import { exitCodes, WrongUse } from '#src/cli/exit.ts'
import type { Format } from '#src/cli/formats/reading.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addUrl, remoteOf } from '#src/cli/remote.ts'
import { configOf } from '#src/cli/settings.ts'
import { importInto } from './import-into.ts'
import { importOver } from './import-over.ts'
import { openSource } from './import-source.ts'
import { type Outcome, refusals } from './refusals.ts'

interface ImportOptions {
  readonly format?: Format
  readonly dryRun?: true
  readonly report?: string
  readonly json?: true
  readonly fromStart?: true
}

export const importCommand = () => {
  const command = new Command('import')
    .description(`Bring ${kinds} from a file, in batches that are each written wholly or not at all.`)
    .argument('<what>', kinds)
    .argument('<file>', 'the file; NDJSON, JSON or CSV by the end of its name')
    .addOption(
      new Option('--format <format>', 'what the file is, if its name does not say it').choices([
        'ndjson',
        'json',
        'csv',
      ]),
    )
    .option('--dry-run', 'judge every record, also by what is in the database, and write none')
    .option(
      '--report <file>',
      'where refused records are told of, those of this import alone (default: the file with .refused.ndjson)',
    )
    .option('--from-start', 'do not go on where an import of this file was cut off')
    .option('--json', 'tell the outcome as JSON')
  onDatabase(addUrl(command)).addHelpText('after', more)
  return command.action(async (what: string, file: string, options: ImportOptions) => {
    const source = await openSource(file, options.format)
    const remote = await remoteOf(command)
    const report = refusals(reportOf(file, options))
    const dryRun = options.dryRun === true
    const importing = remote
      ? importOver(remote, { what, source, report, dryRun })
      : importHere(command, dryRun, (db, timeZone) =>
          importInto(db, { what, source, report, timeZone, options }),
        )
    let told: string | undefined
    const outcome = await importing.finally(() => {
      told = report.close()
    })
    await print(options.json ? jsonLine({ ...outcome, report: told ?? null }) : words(outcome, told, options))
    if (outcome.refused > 0) process.exitCode = exitCodes.failed
  })
}

const more = `
A member brings "credential.password", or its hash as "credential.passwordHash" ($argon2id$…).
In CSV "signId" and "password" stand for "credential.signId" and "credential.password"; a field without quotes and text
is null, "" is an empty text.
An import that was cut off goes on where it was: run it again.
With --url the service gives each record a new id and the time of its creation: those of the file stay in the file.

Examples:
  rollcall import members people.ndjson
  rollcall import members people.csv --dry-run --report refused.ndjson
  ROLLCALL_PASSWORD=… rollcall import todos todos.json --url https://roll.example.com --user admin`

type Work<T> = (db: Engine, timeZone: string) => Promise<T>

const importHere = async <T>(command: Command, dryRun: boolean, work: Work<T>): Promise<T> => {
  const { DATABASE_URL, TIME_ZONE } = configOf(command)
  const into = (db: Engine) => work(db, TIME_ZONE)
  return dryRun ? withUntouchedDatabase(DATABASE_URL, into) : orAsk(withDatabase(DATABASE_URL, into))
}

/** The report is emptied at the start, which must not empty the file that is imported. */
const reportOf = (file: string, { report = `${file}.refused.ndjson` }: ImportOptions) => {
  if (!isSameFile(report, file)) return report
  throw new WrongUse('--report must be another file than the one that is imported.')
}

/** Also where links lead to it. */
const isSameFile = (one: string, other: string) => {
  const [here, there] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return here !== undefined && here.dev === there?.dev && here.ino === there.ino
}

const words = (
  { written, refused, skipped }: Outcome,
  told: string | undefined,
  { dryRun }: ImportOptions,
) => {
  const done = dryRun ? 'would be written' : 'written'
  const before = skipped > 0 ? `, ${skipped.toLocaleString('en')} were done before` : ''
  const why = told ? `; ${told} says why` : ''
  return `${written.toLocaleString('en')} ${done}${before}, ${refused.toLocaleString('en')} refused${why}.`
}
