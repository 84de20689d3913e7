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
import { endOfAllTokens } from '#ledger/token-ends.ts'
import { createPrivate, lock, realPath } from '#sql/sqlite/file.ts'
import { orUnusable, restoredNames } from '#sql/sqlite/file-faults.ts'
import { copyOwnerAndMode } from '#sql/sqlite/owner.ts'
import { readOnlyFile } from '#sql/sqlite/read-only-file.ts'
import { sync } from '#sql/sqlite/sync.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { UsageError } from '#src/cli/exit.ts'
import { asFileError, nameFileInErrors } from '#src/cli/files.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addDatabaseFlags, configOf } from '#src/cli/settings.ts'
import { examineCopy, fileOf, removeSidecars } from '#src/cli/sqlite-file.ts'

const postgresWords =
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
    const given = fileOf(configOf(command).DATABASE_URL, postgresWords)
    requireBackup(file)
    const target = nameFileInErrors(given, 'written', () => realPath(resolve(given)))
    if (target === realpathSync(file))
      throw new UsageError(`${file} is the database itself, not a backup of it.`)
    if (existsSync(target) && !replace)
      throw new UsageError(`${target} already exists: add --replace to keep it under another name.`)
    const release = orUnusable(target, () => lock(target))
    try {
      await copyBackup(file, target)
      const aside = putInPlace(target)
      const words = `Restored ${file} to ${target}.${aside ? ` The previous database is now ${aside}.` : ''}`
      await print(json ? jsonLine({ from: resolve(file), file: target, before: aside ?? null }) : words)
    } catch (error) {
      throw asFileError(target, 'written', error)
    } finally {
      release()
    }
  })
}

const requireBackup = (file: string) => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new UsageError(`There is no backup ${file}.`)
  if (!found.isFile()) throw new UsageError(`${file} is not a file, so it is not a backup.`)
  if (found.size === 0) throw new DataUnusable('corrupt', `${file} has no bytes at all. ${anotherBackup}`)
}

/** Copies a backup, which gets its name once it is complete. No service may run on the file meanwhile. */
const copyBackup = async (file: string, target: string) => {
  const { unfinished, whole } = restoredNames(target)
  // A link here was not made by Rollcall. It is removed, so that its target is not overwritten.
  if (lstatSync(unfinished, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(unfinished)
  const isFirst = !existsSync(unfinished)
  // An interrupted restore may have moved the previous database aside already.
  const model = [target, whole].find((path) => existsSync(path)) ?? dirname(target)
  const source = orUnusable(file, () => readOnlyFile(file))
  try {
    nameFileInErrors(file, 'read', () => accessSync(file, constants.R_OK))
    // While this file exists, every start is refused, even after a power loss.
    createPrivate(unfinished, model)
    sync(dirname(unfinished), 'r')
    removeSidecars(unfinished)
    // A WAL next to the file is part of it: it may hold commits that are not in the file itself yet.
    for (const end of ['', '-wal']) await copyPrivate(realpathSync(file) + end, unfinished + end)
    examineCopy(unfinished, file, anotherBackup)
    orUnusable(unfinished, () => beginHistory(unfinished))
    copyOwnerAndMode(model, unfinished)
    sync(unfinished, 'r+')
    renameSync(unfinished, whole)
  } catch (error) {
    removeSidecars(unfinished)
    const isNoBackup = error instanceof DataUnusable && /^(corrupt|notADatabase)$/.test(error.reason)
    // If the file is no backup, the mark is removed. After any other failure it stays, so that no start succeeds.
    if (isFirst && isNoBackup) rmSync(unfinished, { force: true })
    else if (existsSync(unfinished)) truncateSync(unfinished)
    throw error
  } finally {
    source.release()
  }
}

/** Begins a new history and ends all tokens. A copy of an older version may lack either table. */
const beginHistory = (file: string) => {
  const database = new DatabaseSync(file)
  const has = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  try {
    if (has.get('change_history')) database.exec(newLogName)
    if (has.get('secret')) database.exec(endOfAllTokens)
  } finally {
    database.close()
  }
}

/** Unlike `copyFile`, a stream that fails does not delete the file that it writes. */
const copyPrivate = async (from: string, to: string) => {
  if (existsSync(from)) await pipeline(createReadStream(from), createWriteStream(to, { mode: 0o600 }))
}

/**
 * If interrupted at any step, this leaves the restored file under its temporary name, so that every start is refused, and the
 * next restore continues. The old database is moved before its WAL, because a file without its WAL would be mistaken for a
 * complete one.
 */
const putInPlace = (target: string): string | undefined => {
  const aside = asideOf(target)
  const existing = ['', '-wal', '-shm'].filter((end) => existsSync(target + end))
  const moves = existing.map((end) => [target + end, aside + end] as const)
  sync(dirname(target), 'r')
  for (const [from, to] of [...moves, [restoredNames(target).whole, target] as const]) {
    renameSync(from, to)
    sync(dirname(target), 'r')
  }
  return existing.length > 0 ? aside : undefined
}

/** A WAL without its file belongs to the database that the last, interrupted restore moved aside. Names end with a Z, and sort by time. */
const asideOf = (target: string): string => {
  const start = `${target}.before-`
  const names = readdirSync(dirname(target)).map((name) => join(dirname(target), name))
  const last = names
    .filter((name) => name.startsWith(start) && name.endsWith('Z'))
    .sort()
    .at(-1)
  const isOfLast = last !== undefined && !existsSync(target) && !existsSync(`${last}-wal`)
  return isOfLast ? last : start + new Date().toISOString().replace(/[:.]/g, '-')
}
