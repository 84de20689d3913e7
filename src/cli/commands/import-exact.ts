import type { Command } from 'commander'
import { systemClock } from '#core/clock.ts'
import type { CsvFields } from '#core/csv.ts'
import { risingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { bodyUnreadable, conflict, Problem, type ResolvedMessage } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { errorBody } from '#http/wire/errors.ts'
import { changeLog } from '#ledger/change-log.ts'
import { allWords } from '#resources/combined.ts'
import { FileRefused } from '#resources/import/files/refused.ts'
import { type FileRow, rowsOfFile } from '#resources/import/files/rows.ts'
import { nested } from '#resources/import/interpreting.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openReserved } from '#src/app/reserved-sign-id.ts'
import { orSuggestUrl, withDatabase } from '#src/cli/data.ts'
import { exitCodes, UsageError } from '#src/cli/exit.ts'
import { chunksOf } from '#src/cli/files.ts'
import { jsonLine, print, withSeparators } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { remoteOf } from '#src/cli/remote.ts'
import { configOf } from '#src/cli/settings.ts'
import type { Config } from '#src/config.ts'
import { printRefused, type RefusedRow } from './import-output.ts'
import type { ImportTask } from './import-staged.ts'

const batchSize = 500

/**
 * Copies records that `rollcall export` wrote, with hashes, times and roles, which the API does not accept. Each batch is one
 * transaction. A record whose id exists is left as it is, so an interrupted copy can simply be run again.
 */
export const importExactly = async (
  command: Command,
  { resource, file, flags }: ImportTask & { readonly file: string },
) => {
  const { plural, hasFileImport } = resource
  if (await remoteOf(command, file === '-'))
    throw new UsageError(
      `${hasFileImport ? '--exact copies' : `${plural} are copied`} into a database, not with --url.`,
    )
  if (flags.dryRun) throw new UsageError('--dry-run does not work with an exact copy.')
  const config = configOf(command)
  const { chunks, sizeBytes } = await chunksOf(file)
  using bar = progressBar(`import ${plural}`, sizeBytes, 'bytes')
  const rows = rowsOfFile(counted(chunks, bar.advance), { maxBytes: Number.POSITIVE_INFINITY })
  const copied = withDatabase(config, async (db) => copy(await copierOf(db, config, resource), rows))
  const { written, skipped, refused } = await orSuggestUrl(copied)
  bar.end()
  if (refused.length > 0) {
    process.exitCode = exitCodes.failed
    await printRefused(refused, flags.report)
  }
  const counts = { written, refused: refused.length, skipped }
  const sentence = `${withSeparators(written)} written, ${withSeparators(skipped)} already there, ${withSeparators(refused.length)} refused.`
  await print(flags.json ? jsonLine({ ...counts, report: flags.report }) : sentence)
}

async function* counted(chunks: AsyncIterable<Uint8Array>, advance: (bytes: number) => void) {
  for await (const chunk of chunks) {
    advance(chunk.length)
    yield chunk
  }
}

/** A record, or the reason why there is none. */
type ReadRow = { readonly record: object } | { readonly refusals: readonly ResolvedMessage[] }

const copierOf = async (db: Engine, config: Config, { fileSchema, records: open }: Resource) => {
  const records = open(db, changeLog({ clock: systemClock, newId: risingIds(systemClock) }))
  const validated = bodyReaders(systemClock, config.TIME_ZONE)(fileSchema)
  const parts = {
    newId: risingIds(systemClock),
    passwords: passwordHasher({ queueLimit: batchSize }),
    isReservedSignId: await openReserved(config, db),
  }
  return {
    imported: fileSchema,
    records,
    async read({ cells, fault }: FileRow): Promise<ReadRow> {
      try {
        if (fault) throw bodyUnreadable(fault)
        const body = await validated(cells)
        return { record: await records.fromFile(body, { ...parts, now: systemClock.now() }) }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const { details, ...only } = error.resolved
        return { refusals: details.length > 0 ? details : [only] }
      }
    },
  }
}

type Copier = Awaited<ReturnType<typeof copierOf>>

const copy = async (copier: Copier, rows: AsyncIterable<FileRow>) => {
  const done = { written: 0, skipped: 0, refused: [] as RefusedRow[] }
  const write = async (batch: readonly FileRow[]) => {
    const read = await Promise.all(batch.map(copier.read))
    const records = read.flatMap((one) => ('record' in one ? [one.record] : []))
    const written = new Map((await copier.records.insert(records)).map((is, at) => [records[at], is]))
    for (const [at, one] of read.entries()) {
      if ('record' in one && written.get(one.record)) done.written++
      else {
        const found = 'record' in one ? await copier.records.refusals(one.record) : one.refusals
        // No reason was found: somebody else was faster.
        const refusals = found?.length === 0 ? [conflict().resolved] : found
        if (refusals) done.refused.push({ line: batch[at]?.line ?? 0, faults: refusals.map(faultOf) })
        else done.skipped++
      }
    }
  }
  let batch: FileRow[] = []
  try {
    for await (const row of rowsAsObjects(rows, copier.imported)) {
      if (batch.push(row) < batchSize) continue
      await write(batch)
      batch = []
    }
  } catch (error) {
    if (error instanceof FileRefused)
      throw new UsageError(`${error.sentence('en')} ${withSeparators(done.written)} records are written.`)
    throw error
  }
  await write(batch)
  return done
}

/** Rows of a table as objects. Its first row has the names of the fields. */
async function* rowsAsObjects(rows: AsyncIterable<FileRow>, imported: JsonSchema): AsyncGenerator<FileRow> {
  let names: CsvFields | undefined
  for await (const row of rows) {
    const { line, cells } = row
    if (!Array.isArray(cells) || row.fault) yield row
    else if (!names) names = cells
    else {
      const values = names.map((name = '', at) => [name, parseCell(fieldAt(imported, name), cells[at])])
      yield { line, cells: nested(Object.fromEntries(values)) }
    }
  }
}

const fieldAt = (schema: JsonSchema, path: string) =>
  path.split('.').reduce<JsonSchema | undefined>((above, name) => above?.properties?.[name], schema)

/** A cell as `rollcall export` writes it. */
const parseCell = (field: JsonSchema | undefined, cell: string | undefined) => {
  if (cell === undefined) return null
  const types = [field?.type].flat()
  if (types.includes('boolean') && /^(?:true|false)$/i.test(cell)) return cell.toLowerCase() === 'true'
  return types.includes('integer') && /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell
}

const faultOf = (refusal: ResolvedMessage) => {
  const { code, message, target = null } = errorBody({ ...refusal, details: [] }, allWords, 'en')
  return { field: target, code, message, value: null }
}
