import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Command } from 'commander'
import { failureOf } from '#sql/sqlite/errors.ts'
import { refuseHalfRestored, requireFile, toUnusable } from '#sql/sqlite/file-faults.ts'
import { overwriteUnusedBytes } from '#sql/sqlite/unused-bytes.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { requireExisting } from '#src/cli/data.ts'
import { writeAtomically } from '#src/cli/files.ts'
import { formatCount, jsonLine, print } from '#src/cli/output.ts'
import { parseCount } from '#src/cli/records.ts'
import { addDatabaseFlags, configOf } from '#src/cli/settings.ts'
import { examineCopy, removeSidecars, sqliteFileOf } from '#src/cli/sqlite-file.ts'
import { prepareRotation } from './backup-rotation.ts'

const postgresHelp = `PostgreSQL has its own tools: pg_dump for a copy, pg_basebackup with archived WAL for point-in-time recovery (docs/operating.md).`

export const backupCommand = () => {
  const command = new Command('backup')
    .description('Copy the database. The service may run and write meanwhile.')
    .argument('<file>', 'the copy, which must not exist yet')
    .option(
      '--keep <n>',
      'of the copies made with --keep whose names equal this one except for digits, keep the n newest; remove the others',
      parseCount,
    )
    .option('--json', 'report the outcome as JSON')
  addDatabaseFlags(command).addHelpText(
    'after',
    `
The copy is a consistent snapshot. All its pages are checked before it gets its name.

Example:
  rollcall backup /backups/rollcall-$(date +%F).db --keep 7`,
  )
  return command.action(async (file: string, { keep, json }: { keep?: number; json?: true }) => {
    const url = configOf(command).DATABASE_URL
    const source = sqliteFileOf(url, postgresHelp)
    requireExisting(url)
    const removeOldest = keep === undefined ? undefined : prepareRotation(file, keep)
    const startedAt = performance.now()
    await writeAtomically(file, (unfinished) => copyInto(source, unfinished))
    const outcome = {
      file: resolve(file),
      bytes: statSync(file).size,
      sha256: await sha256Of(file),
      ms: Math.round(performance.now() - startedAt),
    }
    const summary = `${file}: ${formatCount(outcome.bytes)} bytes, complete and checked, in ${outcome.ms} ms.\nsha256 ${outcome.sha256}`
    const removed = removeOldest?.()
    const lines = [summary, ...(removed ?? []).map((path) => `Removed ${path}.`)]
    await print(json ? jsonLine({ ...outcome, ...(removed && { removed }) }) : lines.join('\n'))
  })
}

/** Copies all pages in one step: a copy in several steps restarts whenever another process writes. */
const allPages = 2 ** 31 - 1

const copyInto = async (source: string, file: string) => {
  const database = openReadOnly(source)
  try {
    await backup(database, file, { rate: allPages })
    await scrubCopy(file)
    examineCopy(file, source)
  } catch (error) {
    if (failureOf(error) === 'full')
      throw new DataUnusable('unreadable', `${file} cannot be written: the disk is full.`, error)
    throw toUnusable(source, error)
  } finally {
    database.close()
    removeSidecars(file)
  }
}

/** A running service may not yet have overwritten what it deleted, so these bytes are overwritten in the copy. */
const scrubCopy = async (file: string) => {
  const handle = openSync(file, 'r+')
  try {
    await overwriteUnusedBytes(handle)
  } finally {
    closeSync(handle)
  }
}

/** Opens the source before it is copied: if it is not a database, the error then names the source, not the copy. */
const openReadOnly = (path: string) => {
  try {
    refuseHalfRestored(realpathSync(path))
    requireFile(path)
    const database = new DatabaseSync(path, { readOnly: true })
    database.exec('PRAGMA schema_version')
    return database
  } catch (error) {
    throw toUnusable(path, error)
  }
}

const sha256Of = async (file: string) => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}
