import { basename } from 'node:path'
import type { Import } from '#client/types.ts'
import { lettersAndDigitsOf } from '#core/foreign-files.ts'
import { maxFileBytes } from '#resources/import/files/refused.ts'
import type { Resource } from '#resources/resource.ts'
import { CommandFailed, exitCodes, UsageError } from '#src/cli/exit.ts'
import { readChunks } from '#src/cli/files.ts'
import { formatCount, printNote } from '#src/cli/output.ts'
import type { Service } from '#src/cli/service.ts'
import { flagByField, fullFieldPath, type ImportFlags, optionsOf } from './import-flags.ts'
import {
  describeOpenChoices,
  printChanges,
  printIgnoredColumns,
  printOutcome,
  printRefused,
  writePasswords,
} from './import-output.ts'
import { Interrupted, importWaiter } from './import-progress.ts'

export interface ImportTask {
  readonly resource: Resource
  /** Undefined to continue or undo an existing import. */
  readonly file: string | undefined
  readonly flags: ImportFlags
}

/** Imports a file through the service, or continues an import. Deletes a new import after a dry run or a refused file. */
export const importStaged = async (service: Service, task: ImportTask) => {
  const { importId } = await createOrFind(service, task)
  let mustKeep = task.file === undefined
  try {
    const checked = await validateRows(service, importId, task)
    mustKeep ||= !task.flags.dryRun
    const latest =
      task.flags.dryRun || checked.state === 'done' ? checked : await applyAndWait(service, importId, task)
    await report(service, latest, task)
  } catch (error) {
    mustKeep ||= error instanceof Interrupted
    throw error
  } finally {
    if (!mustKeep) await service.imports.remove(importId)
  }
}

export const undoImport = async (service: Service, plural: string, importId: string) => {
  using waiter = importWaiter(service, plural)
  service.value(await service.imports.undo(importId))
  const { counts } = await waiter.waitFor(importId)
  if (counts.applied === 0) return printNote('The import is undone.')
  for await (const { line, faults, isApplied } of service.imports.rows(importId))
    if (isApplied) printNote(`Line ${line}: ${faults[0]?.message ?? 'It is not undone.'}`)
  throw new CommandFailed(`${formatCount(counts.applied)} records are not undone.`)
}

const createOrFind = async (
  { imports, value }: Service,
  { resource, file, flags }: ImportTask,
): Promise<Import> => {
  if (file === undefined) return value(await imports.get(flags.continue ?? ''))
  const { encoding, sheet } = flags
  const name = file === '-' ? 'standard input' : basename(file)
  const upload = { into: resource.plural, name, locale: 'en' } as const
  const { chunks } = await readChunks(file)
  const bytes = new Blob(await Array.fromAsync(limitBytes(maxFileBytes, chunks)))
  return value(
    await imports.create(bytes, { ...upload, ...(encoding && { encoding }), ...(sheet && { sheet }) }),
    flagByField,
  )
}

/** Stops reading after the limit: the service refuses the file as too large anyway. */
async function* limitBytes(maxBytes: number, chunks: AsyncIterable<Buffer<ArrayBuffer>>) {
  let sizeBytes = 0
  for await (const chunk of chunks) {
    yield chunk
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) return
  }
}

/** Sends the columns and options of the command, and waits until the service has checked the rows with them. */
const validateRows = async (service: Service, importId: string, { resource, flags }: ImportTask) => {
  const { imports, value } = service
  using waiter = importWaiter(service, resource.plural)
  const options = optionsOf(flags)
  if (Object.keys(options).length > 0) value(await imports.patch(importId, { options }), flagByField)
  let current = await waiter.waitFor(importId)
  if (flags.map.length > 0 && current.state !== 'failed') {
    value(await imports.patch(importId, { columns: mapColumns(current, resource, flags) }))
    current = await waiter.waitFor(importId)
  }
  if (current.state === 'failed') throw new UsageError(current.reason ?? 'The file cannot be read.')
  printIgnoredColumns(current, flags, resource)
  if (flags.dryRun) await printChanges(imports.rows(importId, { outcome: 'changed' }))
  if (current.open.length === 0) return current
  throw new UsageError(await describeOpenChoices(current, imports.rows(importId, { outcome: 'refused' })))
}

/** The field of each column, after the changes by --map. */
const mapColumns = ({ columns }: Import, resource: Resource, { map }: ImportFlags) => {
  const letters = columns.map(({ heading }) => lettersAndDigitsOf(heading ?? ''))
  const absent = map.find(([heading]) => !letters.includes(heading))
  if (absent) throw new UsageError(`--map names the column ${absent[0]}, which the file does not have.`)
  const fieldByHeading = new Map(map)
  const mappedFields = new Set([...fieldByHeading.values()].map((field) => fullFieldPath(field, resource)))
  return columns.map(({ field }, at) => {
    const name = fieldByHeading.get(letters[at] ?? '')
    if (name !== undefined) return { field: name === '' ? null : fullFieldPath(name, resource) }
    return { field: field !== null && mappedFields.has(field) ? null : field }
  })
}

const applyAndWait = async (service: Service, importId: string, { resource }: ImportTask) => {
  using waiter = importWaiter(service, resource.plural)
  service.value(await service.imports.apply(importId))
  return await waiter.waitFor(importId)
}

const report = async ({ imports }: Service, latest: Import, { resource, flags }: ImportTask) => {
  const { refused } = latest.counts
  if (refused > 0 || (latest.state !== 'done' && !flags.dryRun)) process.exitCode = exitCodes.failed
  if (refused > 0) await printRefused(imports.rows(latest.importId, { outcome: 'refused' }), flags.report)
  await printOutcome(latest, flags, resource.plural)
  if (flags.passwordsTo && !flags.dryRun)
    await writePasswords(imports.passwords(latest.importId), flags.passwordsTo)
}
