import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { lock, realPath } from '#sql/sqlite/file.ts'
import { orUnusable, restoredName } from '#sql/sqlite/file-faults.ts'
import { untouchedFile } from '#sql/sqlite/untouched-file.ts'
import { databaseUrl, onDatabase } from '#src/cli/data.ts'
import { WrongUse } from '#src/cli/exit.ts'
import { namingFile, orSay } from '#src/cli/named-files.ts'
import { print } from '#src/cli/output.ts'
import { examineCopy, fileOf } from '#src/cli/sqlite-file.ts'
import { sync } from '#src/cli/whole-file.ts'

const postgresWords =
  'PostgreSQL restores with pg_restore, or from its base backup and WAL (docs/operating.md).'

export const restoreCommand = () => {
  const command = new Command('restore')
    .description('Put a backup where the database is.')
    .argument('<file>', 'a backup')
    .option('--replace', 'where a database is already, keep it beside under another name')
  onDatabase(command).addHelpText(
    'after',
    '\nExample:\n  rollcall restore /backups/rollcall-2026-11-21.db --replace',
  )
  return command.action(async (file: string, { replace }: { replace?: true }) => {
    const given = fileOf(databaseUrl(command), postgresWords)
    if (!existsSync(file)) throw new WrongUse(`There is no backup ${file}.`)
    if (!statSync(file).isFile()) throw new WrongUse(`${file} is no file, so it is no backup.`)
    const target = orSay(given, 'written', () => realPath(resolve(given)))
    if (existsSync(target) && !replace)
      throw new WrongUse(`${target} is there already: with --replace it is kept under another name.`)
    const release = orUnusable(target, () => lock(target))
    try {
      bring(file, restoredName(target))
      const aside = putInPlace(target)
      await print(`${target} is ${file} now.${aside ? ` What was there is ${aside}.` : ''}`)
    } catch (error) {
      throw namingFile(target, 'written', error)
    } finally {
      release()
    }
  })
}

/** Copies a backup, which gets its name when it is whole. No service may run on the file meanwhile. */
const bring = (file: string, restored: string) => {
  const unfinished = `${restored}.unfinished`
  const source = orUnusable(file, () => untouchedFile(file))
  try {
    removeAll(unfinished)
    // A log beside it is part of it: its commits may not be in the file itself yet.
    for (const end of ['', '-wal']) copyPrivate(realpathSync(file) + end, unfinished + end)
    examineCopy(unfinished, file)
    sync(unfinished, 'r+')
    renameSync(unfinished, restored)
  } finally {
    removeAll(unfinished)
    source.release()
  }
}

const copyPrivate = (from: string, to: string) => {
  if (!existsSync(from)) return
  copyFileSync(from, to)
  chmodSync(to, 0o600)
}

const removeAll = (path: string) => {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
}

/**
 * Cut off at any step, it leaves the restored file under its waiting name: no start makes an empty database then, and the
 * next restore goes on. The old database is moved before its log, for a file without its log would be taken for whole.
 */
const putInPlace = (target: string): string | undefined => {
  const folder = dirname(target)
  const aside = asideOf(target)
  const there = ['', '-wal', '-shm'].filter((end) => existsSync(target + end))
  sync(folder, 'r')
  for (const end of there) {
    renameSync(target + end, aside + end)
    sync(folder, 'r')
  }
  renameSync(restoredName(target), target)
  sync(folder, 'r')
  return there.length > 0 ? aside : undefined
}

/** A log without its file belongs to the database that an earlier restore moved aside last before it was cut off. */
const asideOf = (target: string): string => {
  const fresh = `${target}.before-${stamp()}`
  const last = existsSync(target) ? undefined : movedBefore(target).at(-1)
  return last === undefined || existsSync(`${last}-wal`) ? fresh : last
}

const movedBefore = (target: string): readonly string[] =>
  readdirSync(dirname(target))
    .filter((name) => name.startsWith(`${basename(target)}.before-`) && name.endsWith('Z'))
    .sort()
    .map((name) => join(dirname(target), name))

/** Ends with a Z, and sorts by time. */
const stamp = () => new Date().toISOString().replace(/[:.]/g, '-')
