import { statSync } from 'node:fs'
import { Command } from 'commander'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openReserved } from '#src/app/reserved-sign-id.ts'
import { kinds, orSuggestUrl, resourceNamed, withDatabase, withUntouchedDatabase } from '#src/cli/data.ts'
import { exitCodes, UsageError } from '#src/cli/exit.ts'
import { type Format, formatOption } from '#src/cli/formats/reading.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { remoteOf } from '#src/cli/remote.ts'
import { onService } from '#src/cli/service.ts'
import { configOf } from '#src/cli/settings.ts'
import type { Config } from '#src/config.ts'
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
    .description(`Import ${kinds} from a file, in batches that are each written completely or not at all.`)
    .argument('<what>', kinds, resourceNamed)
    .argument('<file>', 'the file: NDJSON, JSON or CSV, by its extension')
    .addOption(formatOption('the format, if the extension does not show it'))
    .option('--dry-run', 'check every record, including against the database, but write none')
    .option(
      '--report <file>',
      'where to report the refused records of this import (default: <file>.refused.ndjson)',
    )
    .option('--from-start', 'import every record of the file anew, whatever of it was imported before')
    .option('--json', 'report the outcome as JSON')
  onService(command).addHelpText('after', more)
  return command.action(async (resource: Resource, file: string, options: ImportOptions) => {
    const source = await openSource(file, options.format)
    const remote = await remoteOf(command)
    const report = refusals(reportOf(file, options))
    const dryRun = options.dryRun === true
    const importing = remote
      ? importOver(remote, { resource, source, report, options })
      : importLocally(command, dryRun, async (db, config) =>
          importInto(db, {
            resource,
            source,
            report,
            timeZone: config.TIME_ZONE,
            isReserved: await openReserved(config, db),
            options,
          }),
        )
    let reportFile: string | undefined
    const outcome = await importing.finally(() => {
      reportFile = report.close()
    })
    if (outcome.refused > 0) process.exitCode = exitCodes.failed
    await print(
      options.json
        ? jsonLine({ ...outcome, report: reportFile ?? null })
        : words(outcome, reportFile, options),
    )
  })
}

const more = `
A member has "credential.password", or its hash in "credential.passwordHash" ($argon2id$…).
In CSV, "signId" and "password" are short for "credential.signId" and "credential.password"; an empty field without
quotes is null, and "" is an empty text. "finished" is true or false, in any letter case.
To resume an interrupted import, run it again. Into a database, what was read of the file must not have changed; the rest
may be corrected. An import into a database that has ended begins anew when it is run again, and writes todos without ids
a second time.
With --url, no record of a file is created twice within 24 hours, even if other lines were changed or moved; an import
with --from-start creates all of them anew, and cannot be resumed.
With --url, the service gives each record a new id and creation time; those in the file are not used.

Examples:
  rollcall import members people.ndjson
  rollcall import members people.csv --dry-run --report refused.ndjson
  ROLLCALL_PASSWORD=… rollcall import todos todos.json --url https://roll.example.com --user admin`

type Work = (db: Engine, config: Config) => Promise<Outcome>

const importLocally = async (command: Command, dryRun: boolean, work: Work): Promise<Outcome> => {
  const config = configOf(command)
  const { DATABASE_URL } = config
  const run = (db: Engine) => work(db, config)
  return dryRun ? withUntouchedDatabase(DATABASE_URL, run) : orSuggestUrl(withDatabase(DATABASE_URL, run))
}

/** The report is truncated at the start, so it must not be the imported file. */
const reportOf = (file: string, { report = `${file}.refused.ndjson` }: ImportOptions) => {
  if (!isSameFile(report, file)) return report
  throw new UsageError('--report must not be the file that is imported.')
}

/** Whether both paths lead to the same file, even through links. */
const isSameFile = (one: string, other: string) => {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino
}

const words = (
  { written, refused, skipped }: Outcome,
  reportFile: string | undefined,
  { dryRun }: ImportOptions,
) => {
  const done = dryRun ? 'would be written' : 'written'
  const again = 'imported again only with --from-start'
  const before = skipped > 0 ? `, ${skipped.toLocaleString('en')} already done (${again})` : ''
  const why = reportFile ? `; ${reportFile} says why` : ''
  return `${written.toLocaleString('en')} ${done}${before}, ${refused.toLocaleString('en')} refused${why}.`
}
