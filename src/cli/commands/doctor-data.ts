import { realpathSync, statSync } from 'node:fs'
import { systemClock } from '#core/clock.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { sqlitePathOf } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { damaged } from '#sql/sqlite/file-faults.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { clockFault } from '#src/app/clocks.ts'
import { openNamed } from '#src/app/database.ts'
import { type Tables, tablesOf } from '#src/app/migrations.ts'
import { missingFile } from '#src/cli/data.ts'
import { sentenceOf } from '#src/cli/exit.ts'
import { visible, withoutPassword } from '#src/cli/output.ts'
import { during, megabytes } from '#src/cli/progress.ts'
import { type Config, SettingError } from '#src/config.ts'
import type { Diagnosis } from './doctor.ts'
import { tryCreating } from './doctor-trial.ts'

const check = 'data'

/** Opens the database without migrating anything. */
export const examineData = async ({ DATABASE_URL }: Config): Promise<readonly Diagnosis[]> => {
  try {
    const missing = missingFile(DATABASE_URL)
    if (missing !== undefined) return [await missingDiagnosis(missing)]
    const db = await openNamed(DATABASE_URL)
    try {
      const { verdict, words } = findings[await orNameDamaged(DATABASE_URL, examinedTables(db, DATABASE_URL))]
      const tables: Diagnosis = { check, verdict, says: `${withoutPassword(DATABASE_URL)} ${words}` }
      return [tables, ...(db.engine === 'postgres' ? [await durability(db), await clock(db)] : [])]
    } finally {
      await db.close()
    }
  } catch (error) {
    return [{ check: faultyCheck(error), verdict: 'bad', says: refusalOf(error) }]
  }
}

const missingDiagnosis = async (path: string): Promise<Diagnosis> => {
  await tryCreating(path)
  return { check, verdict: 'look', says: `${path} does not exist; the service creates it when it starts` }
}

/** A start reads few pages of a file; any of the others may be damaged. */
const examinedTables = async (db: Engine, url: string): Promise<Tables> => {
  const tables = await tablesOf(db)
  const path = sqlitePathOf(url)
  if (path === undefined) return tables
  const words = `Reading all ${megabytes(statSync(path).size)} of ${visible(path)}…`
  const pages = db.scan(raw('PRAGMA quick_check(1)'), (row: Row) => row.quick_check)
  const [found] = await during(words, pages)
  if (found !== 'ok') throw damaged(realpathSync(path))
  return tables
}

const findings: Readonly<Record<Tables, { readonly verdict: Diagnosis['verdict']; readonly words: string }>> =
  {
    current: { verdict: 'good', words: 'answers, with the tables of this version' },
    older: {
      verdict: 'look',
      words: 'answers; its tables are from an earlier version; the service migrates them when it starts',
    },
    none: { verdict: 'good', words: 'answers, and is empty; the service creates its tables when it starts' },
    foreign: {
      verdict: 'look',
      words:
        'answers; it holds tables of another program; the service creates its own alongside when it starts',
    },
  }

/** A database is opened only if the files that its URL names are there. */
const faultyCheck = (error: unknown) => (error instanceof SettingError ? 'sslrootcert' : check)

/** The sentence with which the service would refuse to start. */
const refusalOf = (error: unknown): string => {
  const sentence = sentenceOf(error) ?? String(error)
  const writer = error instanceof DataUnusable ? writers[error.reason] : undefined
  return writer === undefined ? sentence : `written by ${writer}. ${sentence}`
}

/** Whose tables they are, if they are not this program's. */
const writers: Readonly<Partial<Record<Reason, string>>> = {
  newerSchema: 'a later version',
  otherSchema: 'another build',
}

/** Whether the settings of the server keep acknowledged writes. */
const durability = async (db: Engine): Promise<Diagnosis> => {
  const check = 'durability'
  const settings = new Map(await db.read(raw('SELECT name, setting FROM pg_settings'), toSetting))
  const off = ['fsync', 'full_page_writes'].filter((name) => settings.get(name) === 'off')
  if (off.length > 0)
    return {
      check,
      verdict: 'bad',
      says: `${off.join(' and ')} off: a crash of the machine may corrupt or lose everything`,
    }
  const standbys = settings.get('synchronous_standby_names')
  if (standbys) return { check, verdict: 'good', says: `a write waits for a standby: ${standbys}` }
  return {
    check,
    verdict: 'look',
    says: 'no synchronous standby: what is only on the disk of the primary is lost with it',
  }
}

const clock = async (db: Engine): Promise<Diagnosis> => {
  const fault = await clockFault(db, systemClock)
  return {
    check: 'clock',
    verdict: fault ? 'look' : 'good',
    says: fault ?? 'agrees with the clock of the database',
  }
}

const toSetting = (row: Row): readonly [string, string] => [String(row.name), String(row.setting)]
