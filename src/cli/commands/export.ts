import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { cellOf, writeCsv } from '#core/csv.ts'
import type { Resource, RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { kinds, orSuggestUrl, resourceNamed, withUntouchedDatabase } from '#src/cli/data.ts'
import { UsageError } from '#src/cli/exit.ts'
import { makeWhole } from '#src/cli/files.ts'
import { columnsIn } from '#src/cli/formats/columns.ts'
import { type Format, formatOf, formatOption } from '#src/cli/formats/reading.ts'
import { note } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { type Remote, remoteOf } from '#src/cli/remote.ts'
import { onService } from '#src/cli/service.ts'
import { databaseUrl } from '#src/cli/settings.ts'
import { type ExportedRecords, recordsOver } from './export-over.ts'

interface ExportOptions {
  readonly format?: Format
  readonly withoutHashes?: true
}

export const exportCommand = () => {
  const command = new Command('export')
    .description(`Write all ${kinds} to a file, as a consistent snapshot that import can read.`)
    .argument('<what>', kinds, resourceNamed)
    .argument('[file]', 'the file, which must not exist yet (default: standard output)')
    .addOption(formatOption('the format (default: by the file extension; NDJSON on standard output)'))
    .option(
      '--without-hashes',
      'leave out password hashes; members exported this way cannot be imported as they are',
    )
  onService(command).addHelpText(
    'after',
    `
A running service never gives out password hashes, so exporting members with --url needs --without-hashes.

Examples:
  rollcall export members members.ndjson
  rollcall export todos --format csv > todos.csv
  rollcall export members members.csv --without-hashes --url http://127.0.0.1:8080`,
  )
  return command.action(async (resource: Resource, file: string | undefined, options: ExportOptions) => {
    const remote = await remoteOf(command)
    const target: Target = {
      what: resource.plural,
      file,
      format: options.format ?? (file === undefined ? 'ndjson' : formatOf(file)),
    }
    if (remote) return exportOver(remote, target, options)
    const exported = withUntouchedDatabase(databaseUrl(command), (db) =>
      exportFrom(resource, db, { target, options }),
    )
    return orSuggestUrl(exported)
  })
}

interface Target {
  readonly what: string
  readonly file: string | undefined
  readonly format: Format
}

const exportFrom = async (
  resource: Resource,
  db: Database,
  { target, options }: { target: Target; options: ExportOptions },
) => {
  const records = resource.records(db)
  await write(target, {
    total: await records.count(),
    fields: fieldsOf(resource, options),
    batches: shown(records, options),
  })
}

const exportOver = async (remote: Remote, target: Target, { withoutHashes }: ExportOptions) => {
  if (target.what === 'members' && !withoutHashes)
    throw new UsageError(
      'A service never gives out password hashes: add --without-hashes, or export from the database.',
    )
  const records = await recordsOver(remote, target.what)
  await write(target, records)
  if (target.what === 'members' && isReduced(records.fields))
    note('These are members in the reduced view, which is all that this sign-in may see.')
}

/** Every member has a date of birth, so its absence means the reduced view. With no members, nothing is held back. */
const isReduced = (fields: readonly string[]) => fields.length > 0 && !fields.includes('dateOfBirth')

const write = async ({ what, file, format }: Target, { total, fields, batches }: ExportedRecords) => {
  using bar = progressBar(`export ${what}`, total)
  const source = Readable.from(writeRecords(format, counted(batches, bar.advance), fields))
  // Left open, so that a failing source ends with its own sentence, not with an error of standard output.
  if (file === undefined) await pipeline(source, process.stdout, { end: false })
  else await makeWhole(file, (unfinished) => pipeline(source, createWriteStream(unfinished)))
  bar.end()
  if (file !== undefined) note(`${file} is written.`)
}

async function* counted(batches: AsyncIterable<readonly object[]>, advance: (count: number) => void) {
  for await (const batch of batches) {
    yield batch
    advance(batch.length)
  }
}

async function* shown(
  records: RoomRecords,
  { withoutHashes }: ExportOptions,
): AsyncGenerator<readonly object[]> {
  for await (const batch of records.stream()) {
    const all = batch.map((record) => records.shown(record))
    yield withoutHashes ? all.map(withoutHash) : all
  }
}

const withoutHash = (record: object) => {
  if (!('credential' in record)) return record
  const { passwordHash: _, ...credential } = record.credential as Record<string, unknown>
  return { ...record, credential }
}

const fieldsOf = ({ imported }: Resource, { withoutHashes }: ExportOptions) =>
  columnsIn(imported).known.filter(
    (field) => field !== 'credential.password' && !(withoutHashes && field.endsWith('passwordHash')),
  )

/** Writes each batch of records as a piece of text. */
async function* writeRecords(
  format: Format,
  batches: AsyncIterable<readonly object[]>,
  fields: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield writeCsv(fields)
  if (format === 'json') yield '['
  let isFirst = true
  for await (const batch of batches) {
    let text = ''
    for (const record of batch) {
      if (format === 'csv') text += writeCsv(fields.map((field) => cellOf(record, field)))
      else if (format === 'ndjson') text += `${JSON.stringify(record)}\n`
      else text += `${isFirst ? '\n' : ',\n'}${JSON.stringify(record)}`
      isFirst = false
    }
    yield text
  }
  if (format === 'json') yield '\n]\n'
}
