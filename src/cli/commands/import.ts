import { statSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type DateOrder, dateOrders, type Encoding, encodings, lettersOf } from '#core/foreign.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import {
  isBeforeFirstStart,
  kindArgument,
  kindsOf,
  orSuggestUrl,
  withDatabase,
  withUntouchedDatabase,
} from '#src/cli/data.ts'
import { exitCodes, UsageError } from '#src/cli/exit.ts'
import { columnsIn, type Mapping } from '#src/cli/formats/fields.ts'
import { type Entry, type Format, formatOption } from '#src/cli/formats/reading.ts'
import { jsonLine, note, print } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { remoteOf } from '#src/cli/remote.ts'
import { onService } from '#src/cli/service.ts'
import { configOf } from '#src/cli/settings.ts'
import { intoDatabase } from './import-into.ts'
import { overService } from './import-over.ts'
import { openReport, type Report } from './import-report.ts'
import { batchesOf, openSource, ReadingStopped, type Source } from './import-source.ts'

export interface Task {
  readonly resource: Resource
  readonly source: Source
  readonly mapping: Mapping
  readonly report: Report
  readonly isDry: boolean
  readonly isFromStart: boolean
}

export interface Outcome {
  readonly written: number
  readonly refused: number
  /** Written by an earlier import of the same source. */
  readonly skipped: number
}

/** Where the records of an import go. */
export interface Destination {
  /** How many records it is given at a time. */
  readonly batchSize: number
  /** What an interrupted import had done. */
  readonly before: Outcome
  /** Writes the records that can be written, and reports the others. */
  write(batch: readonly Entry[]): Promise<Partial<Outcome>>
  /** All of the source has been read. */
  end(): Promise<void>
  /** What becomes of an import that ends now. */
  readonly whenInterrupted: string
}

interface ImportOptions {
  readonly format?: Format
  readonly map: readonly (readonly [string, string])[]
  readonly date?: DateOrder
  readonly encoding?: Encoding
  readonly dryRun?: true
  readonly report?: string
  readonly json?: true
  readonly fromStart?: true
}

export const importCommand = (rooms: readonly Resource[]) => {
  const command = new Command('import')
    .description(
      `Import ${kindsOf(rooms)} from a file, in batches that are each written completely or not at all.`,
    )
    .addArgument(kindArgument(rooms))
    .argument('<file>', 'the file: NDJSON, JSON or CSV, by its extension; - for standard input')
    .addOption(formatOption('the format, if the extension does not show it'))
    .addOption(mapOption())
    .addOption(new Option('--date <order>', 'the order of dates such as 3/2/1985').choices(dateOrders))
    .addOption(
      new Option(
        '--encoding <name>',
        'the encoding of the file (default: utf-16 by its mark, or utf-8)',
      ).choices(encodings),
    )
    .option('--dry-run', 'check every record, including against the database, but write none')
    .option(
      '--report <file>',
      'where to report the refused records of this import (default: <file>.refused.ndjson)',
    )
    .option('--from-start', 'import every record of the file anew, whatever of it was imported before')
    .option('--json', 'report the outcome as JSON')
  onService(command).addHelpText('after', moreOf(rooms))
  return command.action(async (resource: Resource, file: string, options: ImportOptions) => {
    const source = await openSource(file, options.format, options.encoding)
    const mapping = mappingOf(resource, source, options)
    const remote = await remoteOf(command, file === '-')
    const report = openReport(reportOf(file, resource, options))
    const { dryRun: isDry = false, fromStart: isFromStart = false } = options
    const task: Task = { resource, source, mapping, report, isDry, isFromStart }
    let reportFile: string | undefined
    const importing = async () =>
      remote ? transfer(overService(remote, task), task) : importLocally(command, task)
    const outcome = await importing().finally(() => {
      reportFile = report.close()
    })
    if (outcome.refused > 0) process.exitCode = exitCodes.failed
    await print(
      options.json ? jsonLine({ ...outcome, report: reportFile ?? null }) : words(outcome, reportFile, isDry),
    )
  })
}

const mapOption = () =>
  new Option(
    '--map <heading=field>',
    'the field that a column of a CSV file fills; "Staff no=" leaves a column out',
  )
    .argParser((text: string, others: ImportOptions['map']) => {
      const [, heading, field] = /^(.+)=(.*)$/.exec(text) ?? []
      if (heading !== undefined && field !== undefined)
        return [...others, [lettersOf(heading), field] as const]
      throw new InvalidArgumentError('Say a heading and a field, such as Nickname=firstName.')
    })
    .default([], 'by the usual words')

const mappingOf = ({ foreign }: Resource, { format }: Source, { map, date }: ImportOptions): Mapping => {
  if (format !== 'csv' && (map.length > 0 || date))
    throw new UsageError('--map and --date are for the columns of a CSV file.')
  return { foreign, choices: new Map(map), dateOrder: date }
}

const moreOf = (rooms: readonly Resource[]) => `
Fields:
${rooms.map(({ plural, imported }) => `  ${plural}: ${columnsIn(imported).known.join(', ')}`).join('\n')}
In CSV, the last part of a name is enough, an empty field without quotes is null, and "" is an empty text. True and false
may be in any letter case. Columns are also found by what people call them, such as "Date of birth" or 生年月日; dates and
genders are read as people write them. --map names any other column, and --date says how 03/02/1985 is meant.
To resume an interrupted import, run it again. Into a database, what was read of the file must not have changed; the rest
may be corrected. An import into a database that has ended begins anew when it is run again, and writes records without
ids a second time.
With --url, no record of a file is created twice within 24 hours, even if other lines were changed or moved; an import
with --from-start creates all of them anew, and cannot be resumed.
With --url, the service gives each record a new id and creation time; those in the file are not used.

Examples:
  rollcall import members people.ndjson
  rollcall import members people.csv --dry-run --report refused.ndjson
  rollcall import members staff.csv --map "Staff no=" --map "Login=signId" --date dmy --encoding shift_jis
  gunzip -c todos.csv.gz | rollcall import todos - --format csv
  ROLLCALL_PASSWORD=… rollcall import todos todos.json --url https://roll.example.com --user admin`

const importLocally = (command: Command, task: Task): Promise<Outcome> => {
  const config = configOf(command)
  const work = async (db: Engine) => transfer(await intoDatabase(db, config, task), task)
  if (!task.isDry) return orSuggestUrl(withDatabase(config, work))
  return withUntouchedDatabase(config, work).catch((error) => {
    if (!isBeforeFirstStart(error)) throw error
    note(`${error.message} The file is checked against an empty one.`)
    return withDatabase({ ...config, DATABASE_URL: 'sqlite::memory:' }, work)
  })
}

const transfer = async (
  to: Destination,
  { resource, source, mapping, report, isDry }: Task,
): Promise<Outcome> => {
  let { written, refused, skipped } = to.before
  using bar = progressBar(`import ${resource.plural}`, source.sizeBytes, 'bytes')
  using _ = onInterrupt(`Interrupted. ${to.whenInterrupted}`)
  const reading = { imported: resource.imported, mapping, batchSize: to.batchSize, advance: bar.advance }
  try {
    for await (const batch of batchesOf(source, reading)) {
      const done = await to.write(batch)
      written += done.written ?? 0
      refused += done.refused ?? 0
      skipped += done.skipped ?? 0
    }
    await to.end()
  } catch (error) {
    const before = written + skipped
    if (!(error instanceof ReadingStopped) || isDry || before === 0) throw error
    throw new UsageError(
      `${error.message} Records written before: ${before.toLocaleString('en')}; correct the file and import it again for the others.`,
    )
  }
  report.overwrite()
  bar.end()
  return { written, refused, skipped }
}

/** Says this when the user stops the command, which then ends as it would have without a word. */
const onInterrupt = (words: string): Disposable => {
  const tell = () => {
    note(words)
    process.kill(process.pid, 'SIGINT')
  }
  process.once('SIGINT', tell)
  return { [Symbol.dispose]: () => void process.off('SIGINT', tell) }
}

/** The report is truncated at the start, so it must not be the imported file. */
const reportOf = (file: string, { plural }: Resource, options: ImportOptions) => {
  const { report = `${file === '-' ? plural : file}.refused.ndjson` } = options
  if (!isSameFile(report, file)) return report
  throw new UsageError('--report must not be the file that is imported.')
}

/** Whether both paths lead to the same file, even through links. */
const isSameFile = (one: string, other: string) => {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino
}

const words = ({ written, refused, skipped }: Outcome, reportFile: string | undefined, isDry: boolean) => {
  const done = isDry ? 'would be written' : 'written'
  const again = 'imported again only with --from-start'
  const before = skipped > 0 ? `, ${skipped.toLocaleString('en')} already done (${again})` : ''
  const why = reportFile ? `; ${reportFile} says why` : ''
  return `${written.toLocaleString('en')} ${done}${before}, ${refused.toLocaleString('en')} refused${why}.`
}
