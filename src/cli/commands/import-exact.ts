import type { Command } from 'commander'
import { systemClock } from '#core/clock.ts'
import { type CsvFields, unescapeFormula } from '#core/csv.ts'
import { toWhole } from '#core/formats.ts'
import { increasingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { bodyUnreadable, type CodedMessage, conflict, Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { errorBody } from '#http/wire/errors.ts'
import { logEntryMaker } from '#ledger/change-log.ts'
import { allMessages } from '#resources/combined.ts'
import { FileRefused } from '#resources/import/files/refused.ts'
import { type FileRow, rowsOfFile } from '#resources/import/files/rows.ts'
import { unflatten } from '#resources/import/interpreting.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openReservedSignId } from '#src/app/reserved-sign-id.ts'
import { explainLock, withDatabase } from '#src/cli/data.ts'
import { exitCodes, UsageError } from '#src/cli/exit.ts'
import { readChunks } from '#src/cli/files.ts'
import { formatCount, jsonLine, print } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { remoteOf } from '#src/cli/remote.ts'
import { configOf } from '#src/cli/settings.ts'
import type { Config } from '#src/config.ts'
import { printRefused, type RefusedRow } from './import-output.ts'
import type { ImportTask } from './import-staged.ts'

const batchSize = 500

/** The flags that only a staged import uses. */
const stagedFlags = ['dryRun', 'map', 'date', 'match', 'existing', 'passwords', 'encoding', 'sheet'] as const

/**
 * Copies records that `rollcall export` wrote, with hashes, times and roles, which the API does not accept. Each batch is one
 * transaction. A record whose id exists already is skipped, so an interrupted copy can simply be run again.
 */
export const importExactly = async (
  command: Command,
  { resource, file, flags }: ImportTask & { readonly file: string },
) => {
  const { plural, hasFileImport } = resource
  if (await remoteOf(command, file === '-'))
    throw new UsageError(
      `${hasFileImport ? '--exact' : `An import of ${plural}`} writes directly to a database, so it does not work with --url.`,
    )
  const flag = stagedFlags.find((name) => flags[name] !== undefined && String(flags[name]) !== '')
  if (flag !== undefined)
    throw new UsageError(`--${flag === 'dryRun' ? 'dry-run' : flag} does not work with an exact copy.`)
  const config = configOf(command)
  const { chunks, sizeBytes } = await readChunks(file)
  using bar = progressBar(`import ${plural}`, sizeBytes, 'bytes')
  const rows = rowsOfFile(countBytes(chunks, bar.advance), { maxBytes: Number.POSITIVE_INFINITY })
  const copying = withDatabase(config, async (db) => copy(await copierOf(db, config, resource), rows))
  const { written, skipped, refused } = await explainLock(copying)
  bar.end()
  if (refused.length > 0) {
    process.exitCode = exitCodes.failed
    await printRefused(refused, flags.report)
  }
  const counts = { written, refused: refused.length, skipped }
  const sentence = `${formatCount(written)} written, ${formatCount(skipped)} already there, ${formatCount(refused.length)} refused.`
  await print(flags.json ? jsonLine({ ...counts, report: flags.report }) : sentence)
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, advance: (bytes: number) => void) {
  for await (const chunk of chunks) {
    advance(chunk.length)
    yield chunk
  }
}

/** The record of a row, or the reasons why the row has none. */
type ReadRow = { readonly record: object } | { readonly refusals: readonly CodedMessage[] }

const copierOf = async (db: Engine, config: Config, { fileSchema, records: openRecords }: Resource) => {
  const records = openRecords(db, logEntryMaker({ clock: systemClock, newId: increasingIds(systemClock) }))
  const validateBody = bodyReaders(systemClock, config.TIME_ZONE)(fileSchema)
  const context = {
    newId: increasingIds(systemClock),
    passwords: passwordHasher({ queueLimit: batchSize }),
    isReservedSignId: await openReservedSignId(config, db),
  }
  return {
    fileSchema,
    records,
    async read({ cells, fault }: FileRow): Promise<ReadRow> {
      try {
        if (fault) throw bodyUnreadable(fault)
        const body = await validateBody(cells)
        return { record: await records.fromFile(body, { ...context, now: systemClock.now() }) }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const { details, ...summary } = error.withCodes
        return { refusals: details.length > 0 ? details : [summary] }
      }
    },
  }
}

type Copier = Awaited<ReturnType<typeof copierOf>>

const copy = async (copier: Copier, rows: AsyncIterable<FileRow>) => {
  const totals = { written: 0, skipped: 0, refused: [] as RefusedRow[] }
  const write = async (batch: readonly FileRow[]) => {
    const readRows = await Promise.all(batch.map(copier.read))
    const records = readRows.flatMap((one) => ('record' in one ? [one.record] : []))
    const written = await copier.records.insert(records)
    const writtenRecords = new Set(records.filter((_, index) => written[index]))
    for (const [index, row] of readRows.entries()) {
      if ('record' in row && writtenRecords.has(row.record)) totals.written++
      else {
        // Undefined if a record with this id exists: the row is skipped.
        const found = 'record' in row ? await copier.records.refusals(row.record) : row.refusals
        // The insertion failed, but its reason is gone, because another writer has changed the records meanwhile.
        const refusals = found?.length === 0 ? [conflict().withCodes] : found
        if (refusals) totals.refused.push({ line: batch[index]?.line ?? 0, faults: refusals.map(faultOf) })
        else totals.skipped++
      }
    }
  }
  let batch: FileRow[] = []
  try {
    for await (const row of rowsAsObjects(rows, copier.fileSchema)) {
      if (batch.push(row) < batchSize) continue
      await write(batch)
      batch = []
    }
  } catch (error) {
    if (error instanceof FileRefused)
      throw new UsageError(`${error.sentence('en')} ${formatCount(totals.written)} records are written.`)
    throw error
  }
  await write(batch)
  return totals
}

/** Turns the rows of a table into objects. The first row of a table has the names of the fields. */
async function* rowsAsObjects(rows: AsyncIterable<FileRow>, fileSchema: JsonSchema): AsyncGenerator<FileRow> {
  let names: CsvFields | undefined
  for await (const row of rows) {
    const { line, cells } = row
    if (!Array.isArray(cells) || row.fault) yield row
    else if (!names) names = cells
    else {
      const values = names.map((name = '', at) => [name, parseCell(fieldAt(fileSchema, name), cells[at])])
      yield { line, cells: unflatten(Object.fromEntries(values)) }
    }
  }
}

const fieldAt = (schema: JsonSchema, path: string) =>
  path.split('.').reduce<JsonSchema | undefined>((above, name) => above?.properties?.[name], schema)

/** The value of a cell that `rollcall export` or the console wrote. */
const parseCell = (field: JsonSchema | undefined, cell: string | undefined) => {
  if (cell === undefined) return null
  const types = [field?.type].flat()
  if (types.includes('boolean') && /^(?:true|false)$/i.test(cell)) return cell.toLowerCase() === 'true'
  return types.includes('integer') ? (toWhole(cell) ?? cell) : unescapeFormula(cell)
}

const faultOf = (refusal: CodedMessage) => {
  const { code, message, target = null } = errorBody({ ...refusal, details: [] }, allMessages, 'en')
  return { field: target, code, message, value: null }
}
