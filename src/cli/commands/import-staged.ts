import { basename } from 'node:path'
import type { Import } from '#client/types.ts'
import { lettersOf } from '#core/foreign.ts'
import { maxFileBytes } from '#resources/import/files/refused.ts'
import type { Resource } from '#resources/resource.ts'
import { CommandFailed, exitCodes, UsageError } from '#src/cli/exit.ts'
import { chunksOf } from '#src/cli/files.ts'
import { note, withSeparators } from '#src/cli/output.ts'
import type { Service } from '#src/cli/service.ts'
import { fieldNamed, flagsOfOptions, type ImportFlags, optionsOf } from './import-flags.ts'
import {
  printChanged,
  printLeftOut,
  printOutcome,
  printRefused,
  questionsOf,
  writePasswords,
} from './import-output.ts'
import { Interrupted, importWaiter } from './import-progress.ts'

export interface ImportTask {
  readonly resource: Resource
  /** Undefined to continue an existing import. */
  readonly file: string | undefined
  readonly flags: ImportFlags
}

/** Imports a file through the service, or continues an import. An import that wrote nothing is deleted. */
export const importStaged = async (service: Service, task: ImportTask) => {
  const { importId } = await beginOrFind(service, task)
  let isKept = task.file === undefined
  try {
    const read = await prepare(service, importId, task)
    isKept ||= !task.flags.dryRun
    const ended =
      task.flags.dryRun || read.state === 'done' ? read : await applyAndWait(service, importId, task)
    await report(service, ended, task)
  } catch (error) {
    isKept ||= error instanceof Interrupted
    throw error
  } finally {
    if (!isKept) await service.imports.remove(importId)
  }
}

export const undoImport = async (service: Service, plural: string, importId: string) => {
  using waiting = importWaiter(service, plural)
  service.value(await service.imports.undo(importId))
  const { counts } = await waiting.until(importId)
  if (counts.applied === 0) return note('The import is undone.')
  for await (const { line, faults, isApplied } of service.imports.rows(importId))
    if (isApplied) note(`Line ${line}: ${faults[0]?.message ?? 'It is not undone.'}`)
  throw new CommandFailed(`${withSeparators(counts.applied)} records are not undone.`)
}

const beginOrFind = async (
  { imports, value }: Service,
  { resource, file, flags }: ImportTask,
): Promise<Import> => {
  if (file === undefined) return value(await imports.get(flags.continue ?? ''))
  const { encoding, sheet } = flags
  const name = file === '-' ? 'standard input' : basename(file)
  const given = { into: resource.plural, name, locale: 'en' } as const
  const { chunks } = await chunksOf(file)
  const bytes = new Blob(await Array.fromAsync(upTo(maxFileBytes, chunks)))
  return value(
    await imports.create(bytes, { ...given, ...(encoding && { encoding }), ...(sheet && { sheet }) }),
    flagsOfOptions,
  )
}

/** The service refuses a larger file, so reading stops there. */
async function* upTo(maxBytes: number, chunks: AsyncIterable<Buffer<ArrayBuffer>>) {
  let sizeBytes = 0
  for await (const chunk of chunks) {
    yield chunk
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) return
  }
}

/** Waits until the rows are validated with the columns and options of the command. */
const prepare = async (service: Service, importId: string, { resource, flags }: ImportTask) => {
  const { imports, value } = service
  using waiting = importWaiter(service, resource.plural)
  const options = optionsOf(flags)
  if (Object.keys(options).length > 0) value(await imports.patch(importId, { options }), flagsOfOptions)
  let read = await waiting.until(importId)
  if (flags.map.length > 0 && read.state !== 'failed') {
    value(await imports.patch(importId, { columns: columnsFor(read, resource, flags) }))
    read = await waiting.until(importId)
  }
  if (read.state === 'failed') throw new UsageError(read.reason ?? 'The file cannot be read.')
  printLeftOut(read, flags, resource)
  if (flags.dryRun) await printChanged(imports.rows(importId, { outcome: 'changed' }))
  if (read.open.length === 0) return read
  throw new UsageError(await questionsOf(read, imports.rows(importId, { outcome: 'refused' })))
}

/** The fields of the columns, as --map says. */
const columnsFor = ({ columns }: Import, resource: Resource, { map }: ImportFlags) => {
  const letters = columns.map(({ heading }) => lettersOf(heading ?? ''))
  const absent = map.find(([heading]) => !letters.includes(heading))
  if (absent) throw new UsageError(`--map names the column ${absent[0]}, which the file does not have.`)
  const chosen = new Map(map)
  const taken = new Set([...chosen.values()].map((field) => fieldNamed(field, resource)))
  return columns.map(({ field }, at) => {
    const name = chosen.get(letters[at] ?? '')
    if (name !== undefined) return { field: name === '' ? null : fieldNamed(name, resource) }
    return { field: field !== null && taken.has(field) ? null : field }
  })
}

const applyAndWait = async (service: Service, importId: string, { resource }: ImportTask) => {
  using waiting = importWaiter(service, resource.plural)
  service.value(await service.imports.apply(importId))
  return await waiting.until(importId)
}

const report = async ({ imports }: Service, ended: Import, { resource, flags }: ImportTask) => {
  const { refused } = ended.counts
  if (refused > 0 || (ended.state !== 'done' && !flags.dryRun)) process.exitCode = exitCodes.failed
  if (refused > 0) await printRefused(imports.rows(ended.importId, { outcome: 'refused' }), flags.report)
  await printOutcome(ended, flags, resource.plural)
  if (flags.passwordsTo && !flags.dryRun)
    await writePasswords(imports.passwords(ended.importId), flags.passwordsTo)
}
