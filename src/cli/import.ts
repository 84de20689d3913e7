import { statSync } from 'node:fs'
import { Command, Option } from 'commander'
import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/validation.ts'
import { type Progress, progress } from '#ledger/progress.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import type { Kept } from '#sql/records.ts'
import { onDatabase, orAsk, resourceNamed, withDatabase, withUntouchedDatabase } from './data.ts'
import { dryRun } from './dry-run.ts'
import { WrongUse } from './exit.ts'
import type { Format } from './formats/reading.ts'
import { importOver } from './import-over.ts'
import { type Entry, entriesOf, openSource, placeOf, type Source, type Where } from './import-source.ts'
import { jsonLine, note, print } from './output.ts'
import { progressBar } from './progress.ts'
import { type Outcome, type Refusals, reasonOf, refusals } from './refusals.ts'
import { addUrl, remoteOf } from './remote.ts'
import { configOf } from './settings.ts'

export interface ImportOptions {
  readonly format?: Format
  readonly dryRun?: true
  readonly report?: string
  readonly json?: true
  readonly fromStart?: true
}

export const importCommand = () => {
  const command = new Command('import')
    .description('Bring members or todos from a file, in batches that are each written wholly or not at all.')
    .argument('<what>', 'members or todos')
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
  onDatabase(addUrl(command)).addHelpText(
    'after',
    `
A member brings "credential.password", or its hash as "credential.passwordHash" ($argon2id$…).
In CSV "signId" and "password" stand for "credential.signId" and "credential.password"; a field without quotes and text
is null, "" is an empty text.
An import that was cut off goes on where it was: run it again.
With --url the service gives each record a new id and the time of its creation: those of the file stay in the file.

Examples:
  rollcall import members people.ndjson
  rollcall import members people.csv --dry-run --report refused.ndjson
  ROLLCALL_PASSWORD=… rollcall import todos todos.json --url https://roll.example.com --user admin`,
  )
  return command.action(async (what: string, file: string, options: ImportOptions) => {
    const source = await openSource(file, options.format)
    const remote = await remoteOf(command)
    const report = refusals(reportOf(file, options))
    const importHere = async () => {
      const { DATABASE_URL, TIME_ZONE: timeZone } = configOf(command)
      const work = (db: Engine) => importInto(db, { what, source, report, timeZone, options })
      return options.dryRun
        ? withUntouchedDatabase(DATABASE_URL, work)
        : orAsk(withDatabase(DATABASE_URL, work))
    }
    const importing = remote
      ? importOver(remote, { what, source, report, dryRun: options.dryRun === true })
      : importHere()
    let told: string | undefined
    const outcome = await importing.finally(() => {
      told = report.close()
    })
    await print(options.json ? jsonLine({ ...outcome, report: told ?? null }) : words(outcome, told, options))
    if (outcome.refused > 0) process.exitCode = 1
  })
}

/** It is emptied at the start: a slip must not take the records along. */
const reportOf = (file: string, { report = `${file}.refused.ndjson` }: ImportOptions) => {
  if (!isSameFile(report, file)) return report
  throw new WrongUse('--report must be another file than the one that is imported.')
}

/** Whatever links lead there. */
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

interface Import {
  readonly what: string
  readonly source: Source
  readonly report: Refusals
  /** In which a day begins, as for the service. */
  readonly timeZone: string
  readonly options: ImportOptions
}

const batchSize = 500

const importInto = async (db: Engine, asked: Import): Promise<Outcome> => {
  const { what, source, report, options } = asked
  const resource = resourceNamed(what)
  const kept = resource.records(db)
  const counted = progress(db, `import ${what} ${source.identity}`)
  const [records, mark] = options.dryRun ? [dryRun(kept), unmarked(counted)] : [kept, counted]
  if (options.fromStart) await mark.ended()
  const before = options.fromStart ? 0 : await mark.done()
  if (before > 0)
    note(`It goes on after ${unitOf(source)} ${before.toLocaleString('en')}, where it was cut off.`)
  const refused = report.begin(before)
  const bar = progressBar(`import ${what}`, source.sizeBytes, 'bytes')
  const outcome = { written: 0, refused, skipped: -refused }
  const judge = judgeOf(records, asked, outcome)
  for await (const batch of batches(entriesOf(source, resource.imported, bar))) {
    const fresh = batch.filter((entry) => placeOf(entry) > before)
    outcome.skipped += batch.length - fresh.length
    const judged = (await Promise.all(fresh.map(judge))).filter((one) => one !== undefined)
    const last = fresh.at(-1)
    if (!last) continue
    const written = await mark.step(placeOf(last), () => insert(records, judged, report))
    outcome.written += written
    outcome.refused += judged.length - written
  }
  await mark.ended()
  bar.end()
  return outcome
}

/** A dry run begins where the import would, and leaves the mark where it is. */
const unmarked = ({ done }: Progress): Progress => ({
  done,
  step: (_, work) => work(),
  ended: async () => undefined,
})

/**
 * Writes those that nothing stands against, and says how many. Of the others it tells before the commit: what is told too
 * early is taken back when the import goes on, what is told too late may never be.
 */
const insert = async (records: RoomRecords, judged: readonly Judged[], report: Refusals) => {
  const written = await records.insert(judged.map(({ record }) => record))
  const refused = judged.filter((_, index) => !written[index])
  for (const { where, record } of refused)
    report.tell(where, reasonOf(new Problem('business', { messages: [records.whyNot(record)] })))
  return judged.length - refused.length
}

const unitOf = ({ format }: Source) => (format === 'json' ? 'element' : 'line')

async function* batches(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = []
  try {
    for await (const entry of entries) {
      if (batch.push(entry) < batchSize) continue
      yield batch
      batch = []
    }
  } catch (error) {
    if (batch.length > 0) yield batch
    throw error
  }
  if (batch.length > 0) yield batch
}

interface Judged {
  readonly where: Where
  readonly record: Kept
}

/** A record that may be written; one that may not is told of. */
const judgeOf = (records: RoomRecords, { what, report, timeZone }: Import, outcome: Outcome) => {
  const validated = bodyReaders(systemClock, timeZone)(resourceNamed(what).imported)
  const newId = risingIds(systemClock)
  const passwords = passwordHasher({ queueLimit: batchSize })
  return async (where: Entry): Promise<Judged | undefined> => {
    try {
      const body = await validated(where.parse())
      if (body instanceof Problem) throw body
      return { where, record: await records.read(body, { now: systemClock.now(), newId, passwords }) }
    } catch (error) {
      outcome.refused++
      report.tell(where, reasonOf(error))
      return undefined
    }
  }
}
