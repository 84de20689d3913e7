import { existsSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemClock } from '#core/clock.ts'
import type { Resource } from '#resources/resource.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { sqlitePathOf } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { lock, lockName, realPath, requireNothingLeft } from '#sql/sqlite/file.ts'
import { damaged, orUnusable } from '#sql/sqlite/file-faults.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { clockFault, openConfigured } from '#src/app/database.ts'
import { type Tables, tablesOf } from '#src/app/migrations.ts'
import { resourcesOf } from '#src/app/resources.ts'
import { missingFile } from '#src/cli/data.ts'
import { sentenceOf } from '#src/cli/exit.ts'
import { note, targetOf } from '#src/cli/output.ts'
import { megabytes } from '#src/cli/progress.ts'
import { type Config, SettingError } from '#src/config.ts'
import type { Diagnosis } from './doctor.ts'

const check = 'data'

/** Opens the database without migrating anything. */
export const examineData = async (config: Config): Promise<readonly Diagnosis[]> => {
  const { DATABASE_URL: url } = config
  try {
    const rooms = await resourcesOf(config)
    const missing = missingFile(url)
    if (missing !== undefined) {
      tryCreating(missing)
      return [
        { check, verdict: 'look', says: `${missing} does not exist; the service creates it when it starts` },
      ]
    }
    const db = await openConfigured(url)
    try {
      const found = await orNameDamaged(url, examinedTables(db, url, rooms))
      const [verdict, words] = findings[found]
      const tables: Diagnosis = { check, verdict, says: `${targetOf(url)} answers${words}` }
      return [
        tables,
        ...(found === 'current' ? await warnings(db, rooms) : []),
        ...(db.engine === 'postgres' ? [await durability(db), await clock(db)] : []),
      ]
    } finally {
      await db.close()
    }
  } catch (error) {
    // To open a database, the certificate files that its URL names are read first.
    const faulty = error instanceof SettingError ? 'sslrootcert' : check
    return [{ check: faulty, verdict: 'bad', says: refusalOf(error) }]
  }
}

/** Throws if a start could not create this file. It takes the lock of the file and leaves nothing behind. */
const tryCreating = (path: string) => {
  requireNothingLeft(path)
  const isLockNew = !existsSync(lockName(path))
  const folders = missingFolders(dirname(resolve(path)))
  try {
    orUnusable(path, () => {
      const release = lock(realPath(resolve(path)))
      if (isLockNew) rmSync(lockName(path))
      release()
    })
  } finally {
    for (const folder of folders) if (existsSync(folder)) rmdirSync(folder)
  }
}

/** The folders that do not exist, the deepest first. */
const missingFolders = (folder: string): readonly string[] =>
  existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))]

/** Reads every page of a file: a start reads only a few, and any other may be damaged. */
const examinedTables = async (db: Engine, url: string, rooms: readonly Resource[]): Promise<Tables> => {
  const tables = await tablesOf(db, rooms)
  const path = sqlitePathOf(url)
  if (path === undefined) return tables
  if (process.stderr.isTTY) note(`Reading all ${megabytes(statSync(path).size)} of ${path}…`)
  const [found] = await db.scan(raw('PRAGMA quick_check(1)'), (row: Row) => row.quick_check)
  if (found !== 'ok') throw damaged(realpathSync(path))
  return tables
}

const warnings = async (db: Engine, rooms: readonly Resource[]): Promise<readonly Diagnosis[]> => {
  const found: Diagnosis[] = []
  for (const { plural, warning } of rooms) {
    const says = await warning?.(db)
    if (says !== undefined) found.push({ check: plural, verdict: 'look', says })
  }
  return found
}

const findings: Readonly<Record<Tables, readonly [Diagnosis['verdict'], string]>> = {
  current: [
    'good',
    ', with the tables of this version; its rows were not looked at: `rollcall verify` reads them all',
  ],
  older: ['look', '; its tables are from an earlier version; the service migrates them when it starts'],
  none: ['good', ', and is empty; the service creates its tables when it starts'],
  foreign: [
    'look',
    '; it holds tables of another program; the service creates its own alongside when it starts',
  ],
}

/** The sentence with which the service would refuse to start. */
const refusalOf = (error: unknown): string => {
  const writer = error instanceof DataUnusable ? writers[error.reason] : undefined
  return `${writer === undefined ? '' : `written by ${writer}. `}${sentenceOf(error)}`
}

/** The program that created the unusable tables, by the reason of the refusal. */
const writers: Readonly<Partial<Record<Reason, string>>> = {
  newerSchema: 'a later version',
  otherSchema: 'another build',
}

/** Whether an acknowledged write survives a crash, with the settings of the server. */
const durability = async (db: Engine): Promise<Diagnosis> => {
  const check = 'durability'
  const settings = new Map(await db.read(raw('SELECT name, setting FROM pg_settings'), toSetting))
  const off = ['fsync', 'full_page_writes'].filter((name) => settings.get(name) === 'off')
  const standbys = settings.get('synchronous_standby_names')
  if (off.length > 0) {
    const says = `${off.join(' and ')} off: a crash of the machine may corrupt or lose everything`
    return { check, verdict: 'bad', says }
  }
  if (standbys) return { check, verdict: 'good', says: `a write waits for a standby: ${standbys}` }
  const says = 'no synchronous standby: if the disk of the primary is lost, its latest writes are lost too'
  return { check, verdict: 'look', says }
}

const toSetting = (row: Row): readonly [string, string] => [String(row.name), String(row.setting)]

const clock = async (db: Engine): Promise<Diagnosis> => {
  const fault = await clockFault(db, systemClock)
  const says = fault ?? 'agrees with the clock of the database'
  return { check: 'clock', verdict: fault ? 'look' : 'good', says }
}
