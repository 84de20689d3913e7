import { createWriteStream, openSync } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import type { RoomRecords } from '#resources/resource.ts'
import { databaseUrl, onDatabase, recordsNamed, withDatabase } from './data.ts'
import { WrongUse } from './exit.ts'
import type { Format } from './formats/reading.ts'
import { writeRecords } from './formats/writing.ts'
import { note } from './output.ts'
import { progressBar } from './progress.ts'

interface ExportOptions {
  readonly format?: Format
  readonly withoutHashes?: true
}

export const exportCommand = () => {
  const command = new Command('export')
    .description('Write all members or todos to a file, out of one moment, in a form that import takes.')
    .argument('<what>', 'members or todos')
    .argument('[file]', 'the file, which must not be there; the standard output if none is said')
    .addOption(
      new Option('--format <format>', 'by the end of the name if not said').choices([
        'ndjson',
        'json',
        'csv',
      ]),
    )
    .option(
      '--without-hashes',
      'leave the hashes of passwords out: what is written cannot be imported as it is',
    )
  onDatabase(command).addHelpText(
    'after',
    `
Examples:
  rollcall export members members.ndjson
  rollcall export todos --format csv > todos.csv`,
  )
  return command.action(async (what: string, file: string | undefined, options: ExportOptions) =>
    withDatabase(databaseUrl(command), async (db) => {
      const records = recordsNamed(db, what)
      const format = options.format ?? formatOf(file)
      const bar = progressBar(`export ${what}`, await records.count())
      const text = writeRecords(format, shown(records, bar.advance, options), fieldsOf(records, options))
      await pipeline(Readable.from(text), file === undefined ? process.stdout : createFile(file))
      bar.end()
      if (file !== undefined) note(`${file} is written.`)
    }),
  )
}

const formatOf = (file: string | undefined): Format =>
  (({ '.json': 'json', '.csv': 'csv' }) as const)[extname(file ?? '')] ?? 'ndjson'

/** Hashes are nobody else's to read. */
const createFile = (file: string) => {
  try {
    return createWriteStream(file, { fd: openSync(file, 'wx', 0o600) })
  } catch (error) {
    throw new WrongUse(`${file} cannot be made: ${error instanceof Error ? error.message : error}.`)
  }
}

async function* shown(
  records: RoomRecords,
  advance: (count: number) => void,
  { withoutHashes }: ExportOptions,
): AsyncGenerator<readonly object[]> {
  for await (const batch of records.stream()) {
    const all = batch.map((record) => records.shown(record))
    yield withoutHashes ? all.map(withoutHash) : all
    advance(batch.length)
  }
}

const withoutHash = (record: object) => {
  if (!('credential' in record)) return record
  const { passwordHash: _, ...credential } = record.credential as Record<string, unknown>
  return { ...record, credential }
}

const fieldsOf = ({ fields }: RoomRecords, { withoutHashes }: ExportOptions) =>
  fields.filter(
    (field) => field !== 'credential.password' && !(withoutHashes && field.endsWith('passwordHash')),
  )
