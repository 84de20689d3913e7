import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { newLogName } from '#ledger/change-reader.ts'
import { endAllTokens } from '#ledger/token-ends.ts'
import { createPrivate, lock, realPath } from '#sql/sqlite/file.ts'
import { errorsAsUnusable, restoredNames } from '#sql/sqlite/file-faults.ts'
import { copyOwnerAndMode } from '#sql/sqlite/owner.ts'
import { readOnlyFile } from '#sql/sqlite/read-only-file.ts'
import { sync } from '#sql/sqlite/sync.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { UsageError } from '#src/cli/exit.ts'
import { asFileError, nameFileInErrors } from '#src/cli/files.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addDatabaseFlags, configOf } from '#src/cli/settings.ts'
import { examineCopy, removeSidecars, sqliteFileOf } from '#src/cli/sqlite-file.ts'

const postgresHelp =
  'Restore PostgreSQL with pg_restore, or from a base backup and its WAL (docs/operating.md).'

const anotherBackup = 'Restore another backup.'

export const restoreCommand = () => {
  const command = new Command('restore')
    .description('Restore the database from a backup.')
    .argument('<file>', 'a backup')
    .option('--replace', 'if there is already a database, keep it next to the new one under another name')
    .option('--json', 'report the outcome as JSON')
  addDatabaseFlags(command).addHelpText(
    'after',
    '\nExample:\n  rollcall restore /backups/rollcall-2026-11-21.db --replace',
  )
  return command.action(async (file: string, { replace, json }: { replace?: true; json?: true }) => {
    const databaseFile = sqliteFileOf(configOf(command).DATABASE_URL, postgresHelp)
    requireBackup(file)
    const target = nameFileInErrors(databaseFile, 'written', () => realPath(resolve(databaseFile)))
    if (target === realpathSync(file))
      throw new UsageError(`${file} is the database itself, not a backup of it.`)
    if (existsSync(target) && !replace)
      throw new UsageError(`${target} already exists: add --replace to keep it under another name.`)
    const unlock = errorsAsUnusable(target, () => lock(target))
    try {
      await copyBackup(file, target)
      const aside = putInPlace(target)
      const words = `Restored ${file} to ${target}.${aside ? ` The previous database is now ${aside}.` : ''}`
      await print(json ? jsonLine({ from: resolve(file), file: target, before: aside ?? null }) : words)
    } catch (error) {
      throw asFileError(target, 'written', error)
    } finally {
      unlock()
    }
  })
}

const requireBackup = (file: string) => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`There is no backup ${file}.`)
  if (!stats.isFile()) throw new UsageError(`${file} is not a file, so it is not a backup.`)
  if (stats.size === 0) throw new DataUnusable('corrupt', `${file} has no bytes at all. ${anotherBackup}`)
}

/** Copies the backup under the name `unfinished`, and renames the copy to `whole` once it is complete and on disk. */
const copyBackup = async (file: string, target: string) => {
  const { unfinished, whole } = restoredNames(target)
  // Rollcall makes no symbolic link of this name. Removes one, so that its target is not overwritten.
  if (lstatSync(unfinished, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(unfinished)
  const isFirstAttempt = !existsSync(unfinished)
  // An interrupted restore may have moved the previous database aside already.
  const permissionsSource = [target, whole].find((path) => existsSync(path)) ?? dirname(target)
  const source = errorsAsUnusable(file, () => readOnlyFile(file))
  try {
    nameFileInErrors(file, 'read', () => accessSync(file, constants.R_OK))
    // While this file exists, every start is refused, even after a power loss.
    createPrivate(unfinished, permissionsSource)
    sync(dirname(unfinished), 'r')
    removeSidecars(unfinished)
    // Copies a WAL next to the backup too, because it may hold commits that are not in the file itself yet.
    for (const end of ['', '-wal']) await copyForOwner(realpathSync(file) + end, unfinished + end)
    examineCopy(unfinished, file, anotherBackup)
    errorsAsUnusable(unfinished, () => startNewLog(unfinished))
    copyOwnerAndMode(permissionsSource, unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, whole)
  } catch (error) {
    removeSidecars(unfinished)
    const isNotABackup = error instanceof DataUnusable && /^(corrupt|notADatabase)$/.test(error.reason)
    // `unfinished` prevents every start. It stays, emptied, unless this first attempt found that the file is not a backup.
    if (isFirstAttempt && isNotABackup) rmSync(unfinished, { force: true })
    else if (existsSync(unfinished)) truncateSync(unfinished)
    throw error
  } finally {
    source.release()
  }
}

/** Invalidates all earlier cursors and tokens. A backup of an older version may lack either table. */
const startNewLog = (file: string) => {
  const database = new DatabaseSync(file)
  const tableQuery = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  try {
    if (tableQuery.get('change_history')) database.exec(newLogName)
    if (tableQuery.get('secret')) database.exec(endAllTokens)
  } finally {
    database.close()
  }
}

/** Copies by a stream, because `copyFile` deletes its target when it fails. */
const copyForOwner = async (from: string, to: string) => {
  if (existsSync(from)) await pipeline(createReadStream(from), createWriteStream(to, { mode: 0o600 }))
}

/**
 * Moves the previous database aside and renames the restored file to `target`. If interrupted at any step, the restored file
 * still has its temporary name, which prevents every start, and the next restore continues. The previous database is moved
 * before its WAL, because a file at `target` without its WAL could be mistaken for a complete database.
 */
const putInPlace = (target: string): string | undefined => {
  const aside = asideOf(target)
  const suffixes = ['', '-wal', '-shm'].filter((end) => existsSync(target + end))
  const moves = suffixes.map((end) => [target + end, aside + end] as const)
  sync(dirname(target), 'r')
  for (const [from, to] of [...moves, [restoredNames(target).whole, target] as const]) {
    renameSync(from, to)
    sync(dirname(target), 'r')
  }
  return suffixes.length > 0 ? aside : undefined
}

/**
 * The new name of the previous database. An interrupted restore may have moved the file but not its WAL: then the file's name,
 * so that the WAL follows. Names end with the time (…Z), so they sort by time.
 */
const asideOf = (target: string): string => {
  const prefix = `${target}.before-`
  const names = readdirSync(dirname(target)).map((name) => join(dirname(target), name))
  const last = names
    .filter((name) => name.startsWith(prefix) && name.endsWith('Z'))
    .sort()
    .at(-1)
  const isInterrupted = last !== undefined && !existsSync(target) && !existsSync(`${last}-wal`)
  return isInterrupted ? last : prefix + new Date().toISOString().replace(/[:.]/g, '-')
}
