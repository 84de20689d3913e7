import { createWriteStream } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { messageOf } from '#core/cause.ts'
import { cellText, columnsOf, escapeApostrophe, writeCsv } from '#core/csv.ts'
import { readArray } from '#http/message/body/json-array.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Resource } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { explainLock, pluralsOf, resourceArgument, withUntouchedDatabase } from '#src/cli/data.ts'
import { CommandFailed, UsageError } from '#src/cli/exit.ts'
import { pathsIn, pickFields, requiredIn } from '#src/cli/fields.ts'
import { writeAtomically } from '#src/cli/files.ts'
import { jsonLine, print, printNote } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { type Remote, readRemote, remoteOf, unexpectedAnswer } from '#src/cli/remote.ts'
import { addServiceFlags } from '#src/cli/service.ts'
import { addSettingFlags, configOf } from '#src/cli/settings.ts'
import { peopleTable } from './export-people.ts'

const formats = ['ndjson', 'json', 'csv', 'xlsx'] as const

type Format = (typeof formats)[number]

/** The format by file extension. */
const formatOf = (file: string): Format => {
  const ending = extname(file).slice(1).toLowerCase().replace('jsonl', 'ndjson')
  const format = formats.find((one) => one === ending)
  if (format) return format
  throw new UsageError(
    `${file} does not end in .ndjson, .jsonl, .json, .csv or .xlsx: name its format with --format.`,
  )
}

interface ExportOptions {
  readonly format?: Format
  readonly withoutHashes?: true
  readonly json?: true
  readonly forPeople?: true
  readonly columns?: string
}

export const exportCommand = (resources: readonly Resource[]) => {
  const command = new Command('export')
    .description(
      `Write all ${pluralsOf(resources)} to a file, as a consistent snapshot that import --exact can read.`,
    )
    .addArgument(resourceArgument(resources))
    .argument('[file]', 'the file, which must not exist yet (default, or -: standard output)')
    .addOption(
      new Option(
        '--format <format>',
        'the format (default: by the file extension; NDJSON on standard output)',
      ).choices(formats),
    )
    .option(
      '--without-hashes',
      'leave out hashes of passwords and keys; records that need one cannot be imported again',
    )
    .option(
      '--for-people',
      'for reading: labels, names of codes and of other records, local dates; always so in .xlsx',
    )
    .option('--columns <fields>', 'for people: only these fields, in this order, separated by commas')
    .option('--json', 'report the outcome as JSON; needs a file')
  addSettingFlags(addServiceFlags(command), ['LOCALE', 'TIME_ZONE']).addHelpText(
    'after',
    `
A running service never gives out hashes: --url needs --without-hashes where a record has one.

Examples:
  rollcall export members members.ndjson
  rollcall export todos --format csv > todos.csv
  rollcall export members members.csv --without-hashes --url http://127.0.0.1:8080
  rollcall export members staff.xlsx --locale ja --columns lastName,firstName,emailAddress`,
  )
  return command.action(async (resource: Resource, path: string | undefined, options: ExportOptions) => {
    const file = path === '-' ? undefined : path
    const { format, isForPeople } = resolveFormat(file, options)
    const { json, columns } = options
    const withoutHashes = options.withoutHashes === true || isForPeople
    const target: Destination = { plural: resource.plural, file, json }
    const save = async (openSource: OpenSource) => {
      const source = await openSource(resource, withoutHashes)
      if (!isForPeople) return write(target, source, (batches) => toText(format, batches, source.fields))
      const { LOCALE: locale, TIME_ZONE: timeZone } = configOf(command)
      const choices = { locale, timeZone, columns: columns?.split(','), resources, openSource }
      const table = await peopleTable(resource, source, choices)
      return write(target, source, (batches) => table(batches, format === 'xlsx'))
    }
    const remote = await remoteOf(command)
    if (remote) return save((...args) => fromService(remote, ...args))
    return explainLock(
      withUntouchedDatabase(configOf(command), (db) => save(async (...args) => fromDatabase(db, ...args))),
    )
  })
}

/** The format to write. Throws if the flags contradict each other. */
const resolveFormat = (file: string | undefined, { json, columns, ...options }: ExportOptions) => {
  const defaultFormat = options.forPeople ? 'csv' : 'ndjson'
  const { format = file === undefined ? defaultFormat : formatOf(file) } = options
  const isForPeople = options.forPeople === true || format === 'xlsx'
  if (json && file === undefined)
    throw new UsageError('--json reports on standard output, so the export itself needs a file.')
  if (format === 'xlsx' && file === undefined && process.stdout.isTTY)
    throw new UsageError('A terminal cannot show .xlsx: name a file.')
  if (isForPeople && format !== 'csv' && format !== 'xlsx')
    throw new UsageError('--for-people writes CSV or .xlsx.')
  if (columns !== undefined && !isForPeople) throw new UsageError('--columns needs --for-people.')
  return { format, isForPeople }
}

interface Destination {
  readonly plural: string
  readonly file: string | undefined
  readonly json: true | undefined
}

export interface ExportSource {
  /** Undefined if a running service has the records. */
  readonly total?: number
  readonly fields: readonly string[]
  readonly batches: AsyncIterable<readonly object[]>
}

export type OpenSource = (resource: Resource, withoutHashes: boolean) => Promise<ExportSource>

const fromDatabase = async (db: Database, resource: Resource, withoutHashes: boolean) => {
  const { fileSchema } = resource
  const records = resource.records(db)
  const isExported = ({ writeOnly, isHash }: JsonSchema) => !writeOnly && !(isHash && withoutHashes)
  async function* batches() {
    for await (const batch of records.stream())
      yield batch.map((record) => pickFields(records.toFile(record), fileSchema, isExported))
  }
  return { total: await records.count(), fields: pathsIn(fileSchema, isExported), batches: batches() }
}

/** Reads the first batch at once, because the fields of the first record become the columns of a table. */
const fromService = async (
  remote: Remote,
  { plural, fileSchema }: Resource,
  withoutHashes: boolean,
): Promise<ExportSource> => {
  if (!withoutHashes && pathsIn(fileSchema, ({ isHash = false }) => isHash).length > 0)
    throw new UsageError(
      'A service never gives out hashes: add --without-hashes, or export from the database.',
    )
  const remaining = readBatches(remote, plural)
  const first = (await remaining.next()).value ?? []
  const fields = columnsOf(first[0] ?? {})
  const exportable = pathsIn(fileSchema, ({ writeOnly, isHash }) => !writeOnly && !isHash)
  const isMissing = (field: string) => exportable.includes(field) && !fields.includes(field)
  if (first.length > 0 && requiredIn(fileSchema).some(isMissing))
    printNote(`These are ${plural} in the reduced view, which is all that this sign-in may see.`)
  async function* batches() {
    yield first
    yield* remaining
  }
  return { fields, batches: batches() }
}

const batchSize = 500

/** Reads the whole list of a running service, as a consistent snapshot. */
async function* readBatches(remote: Remote, plural: string): AsyncGenerator<readonly object[]> {
  let batch: object[] = []
  try {
    for await (const { text } of readArray(readRemote(remote, `/${plural}`))) {
      batch.push(JSON.parse(text))
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
  } catch (error) {
    throw error instanceof CommandFailed ? error : unexpectedAnswer(remote, messageOf(error))
  }
  yield batch
}

const write = async (
  { plural, file, json }: Destination,
  { total, batches }: ExportSource,
  chunksOf: (batches: ExportSource['batches']) => AsyncIterable<string | Uint8Array>,
) => {
  using bar = progressBar(`export ${plural}`, total)
  let records = 0
  async function* counted() {
    for await (const batch of batches) {
      yield batch
      records += batch.length
      bar.advance(batch.length)
    }
  }
  const source = Readable.from(chunksOf(counted()))
  // Standard output stays open, so that an error of the source is reported, not the error of a closed stream.
  if (file === undefined) await pipeline(source, process.stdout, { end: false })
  else await writeAtomically(file, (unfinished) => pipeline(source, createWriteStream(unfinished)))
  bar.end()
  if (file === undefined) return
  if (json) await print(jsonLine({ file: resolve(file), records }))
  else printNote(`${file} is written.`)
}

async function* toText(
  format: Format,
  batches: AsyncIterable<readonly object[]>,
  fields: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield writeCsv(fields)
  if (format === 'json') yield '['
  let separator = '\n'
  for await (const batch of batches) {
    let text = ''
    for (const record of batch) {
      if (format === 'csv') text += writeCsv(fields.map((field) => exactCell(cellText(record, field))))
      else if (format === 'ndjson') text += `${JSON.stringify(record)}\n`
      else text += separator + JSON.stringify(record)
      separator = ',\n'
    }
    yield text
  }
  if (format === 'json') yield '\n]\n'
}

const exactCell = (text: string | undefined) => text && escapeApostrophe(text)
