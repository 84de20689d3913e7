import { existsSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemClock } from '#core/clock.ts'
import type { Resource } from '#resources/resource.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { sqlitePathOf } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { nameDamagedFile } from '#sql/sqlite/damage.ts'
import { lock, lockName, realPath, requireNoRemains } from '#sql/sqlite/file.ts'
import { damagedError, errorsAsUnusable } from '#sql/sqlite/file-faults.ts'
import { clockFault, openConfiguredDatabase } from '#src/app/database.ts'
import { inspectTables, type TablesState } from '#src/app/migrations.ts'
import { resourcesOf } from '#src/app/resources.ts'
import { missingFileOf } from '#src/cli/data.ts'
import { sentenceOf } from '#src/cli/exit.ts'
import { describeDatabase, printNote } from '#src/cli/output.ts'
import { formatMegabytes } from '#src/cli/progress.ts'
import { type Config, SettingError } from '#src/config.ts'
import type { Diagnosis } from './doctor.ts'

const check = 'data'

/** Opens the database without migrating anything. */
export const examineData = async (config: Config): Promise<readonly Diagnosis[]> => {
  const { DATABASE_URL: url } = config
  try {
    const resources = await resourcesOf(config)
    const missing = missingFileOf(url)
    if (missing !== undefined) {
      tryToCreate(missing)
      return [
        { check, verdict: 'look', says: `${missing} does not exist; the service creates it when it starts` },
      ]
    }
    const db = await openConfiguredDatabase(url)
    try {
      const state = await nameDamagedFile(url, checkTables(db, url, resources))
      const [verdict, words] = judgementOf[state]
      const tablesDiagnosis: Diagnosis = { check, verdict, says: `${describeDatabase(url)} answers${words}` }
      return [
        tablesDiagnosis,
        ...(state === 'current' ? await warningsOf(db, resources) : []),
        ...(db.engine === 'postgres' ? [await examineDurability(db), await examineClock(db)] : []),
      ]
    } finally {
      await db.close()
    }
  } catch (error) {
    // A SettingError here is about a certificate file that the database URL names.
    const faultyCheck = error instanceof SettingError ? 'sslrootcert' : check
    return [{ check: faultyCheck, verdict: 'bad', says: String(sentenceOf(error)) }]
  }
}

/** Throws if the service could not create this file when it starts. Tests that by taking the lock of the file, and leaves nothing behind. */
const tryToCreate = (path: string) => {
  requireNoRemains(path)
  const isLockNew = !existsSync(lockName(path))
  const folders = missingFolders(dirname(resolve(path)))
  try {
    errorsAsUnusable(path, () => {
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

/** Also reads every page of a SQLite file: a start reads only a few, and would not notice damage in the others. */
const checkTables = async (db: Engine, url: string, resources: readonly Resource[]): Promise<TablesState> => {
  const state = await inspectTables(db, resources)
  const path = sqlitePathOf(url)
  if (path === undefined) return state
  if (process.stderr.isTTY) printNote(`Reading all ${formatMegabytes(statSync(path).size)} of ${path}…`)
  const [found] = await db.scan(raw('PRAGMA quick_check(1)'), (row: Row) => row.quick_check)
  if (found !== 'ok') throw damagedError(realpathSync(path))
  return state
}

const warningsOf = async (db: Engine, resources: readonly Resource[]): Promise<readonly Diagnosis[]> => {
  const warnings: Diagnosis[] = []
  for (const { plural, warning } of resources) {
    const says = await warning?.(db)
    if (says !== undefined) warnings.push({ check: plural, verdict: 'look', says })
  }
  return warnings
}

const judgementOf: Readonly<Record<TablesState, readonly [Diagnosis['verdict'], string]>> = {
  current: [
    'good',
    ', with the tables of this version; its rows were not checked; `rollcall verify` checks them all',
  ],
  older: ['look', '; its tables are from an earlier version; the service migrates them when it starts'],
  none: ['good', ', and is empty; the service creates its tables when it starts'],
  foreign: [
    'look',
    '; it holds tables of another program; the service creates its own alongside when it starts',
  ],
}

/** Judges by the settings of the server whether an acknowledged write survives a crash. */
const examineDurability = async (db: Engine): Promise<Diagnosis> => {
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

const examineClock = async (db: Engine): Promise<Diagnosis> => {
  const fault = await clockFault(db, systemClock)
  const says = fault ?? 'agrees with the clock of the database'
  return { check: 'clock', verdict: fault ? 'look' : 'good', says }
}
