import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import { lock, settled, unusable } from '#sql/sqlite/file.ts'
import { databaseUrl, onDatabase } from './data.ts'
import { WrongUse } from './exit.ts'
import { orSay, said } from './named-files.ts'
import { print } from './output.ts'
import { examineCopy, fileOf } from './sqlite-file.ts'
import { sync } from './whole-file.ts'

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
    const target = orSay(given, 'written', () => settled(resolve(given)))
    if (existsSync(target) && !replace)
      throw new WrongUse(`${target} is there already: with --replace it is kept under another name.`)
    const arrived = `${target}.restored`
    const aside = existsSync(target) ? `${target}.before-${stamp()}` : undefined
    const release = take(target)
    try {
      copyFileSync(file, arrived)
      chmodSync(arrived, 0o600)
      examineCopy(arrived, file)
      sync(arrived, 'r+')
      for (const end of ['', '-wal', '-shm']) moveAside(target + end, aside && aside + end)
      renameSync(arrived, target)
      sync(dirname(target), 'r')
    } catch (error) {
      throw said(target, 'written', error)
    } finally {
      rmSync(arrived, { force: true })
      release()
    }
    await print(`${target} is ${file} now.${aside ? ` What was there is ${aside}.` : ''}`)
  })
}

/** No service may run on it meanwhile. */
const take = (path: string) => {
  try {
    return lock(path)
  } catch (error) {
    throw unusable(path, error)
  }
}

const moveAside = (path: string, aside: string | undefined) => {
  if (!existsSync(path)) return
  if (aside === undefined) rmSync(path)
  else renameSync(path, aside)
}

const stamp = () => new Date().toISOString().replace(/[:.]/g, '-')
