import { statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { causeOf } from '#core/cause.ts'
import type { Row } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { type Config, SettingError } from '#src/config.ts'
import { isCurrent } from '#src/migrations.ts'
import { missingFile } from './data.ts'
import { exitCodes } from './exit.ts'
import { jsonLine, print, table } from './output.ts'
import { withoutPassword } from './secrets.ts'
import { addSettings, configOf } from './settings.ts'

interface Diagnosis {
  readonly check: string
  readonly verdict: 'good' | 'look' | 'bad'
  readonly says: string
}

export const doctorCommand = () => {
  const command = new Command('doctor')
    .description('Look at settings, data and machine as `serve` would meet them, and say what to mend.')
    .option('--json', 'tell what was found as JSON')
  addSettings(command).addHelpText(
    'after',
    '\nExample:\n  rollcall doctor --settings-file /etc/rollcall/settings',
  )
  return command.action(async ({ json }: { json?: true }) => {
    const found = await examine(command)
    const rows = found.map(({ check, verdict, says }) => [verdict, check, says])
    await print(json ? jsonLine(found) : table(['', 'check', 'finding'], rows))
    if (found.some(({ verdict }) => verdict === 'bad')) process.exitCode = exitCodes.wrongUse
  })
}

const examine = async (command: Command): Promise<readonly Diagnosis[]> => {
  try {
    const config = configOf(command)
    const settings: Diagnosis = { check: 'settings', verdict: 'good', says: 'all can be read' }
    return [
      settings,
      machine(),
      ...access(config),
      ...disk(config),
      ...(await data(config)),
      ...management(config),
    ]
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return [{ check: 'settings', verdict: 'bad', says: error.message }]
  }
}

const machine = (): Diagnosis => {
  const gib = totalmem() / 1024 ** 3
  const says = `Node ${process.versions.node}, ${availableParallelism()} processors, ${gib.toFixed(1)} GiB of memory`
  return { check: 'machine', verdict: gib < 0.5 ? 'look' : 'good', says }
}

const access = ({ ACCESS, HOST, PUBLIC_URL, TRUST_PROXY }: Config): readonly Diagnosis[] => {
  const isLocal = /^(localhost|127\.|::1)/.test(HOST)
  const found: Diagnosis[] = []
  if (ACCESS === 'open') {
    const verdict = isLocal ? 'good' : 'look'
    found.push({ check: 'access', verdict, says: `everybody who reaches ${HOST} may do everything` })
  } else found.push({ check: 'access', verdict: 'good', says: ACCESS })
  if (!isLocal && PUBLIC_URL === undefined && TRUST_PROXY.rules.length === 0)
    found.push({
      check: 'public url',
      verdict: 'look',
      says: 'Location and links follow the Host that callers send: set PUBLIC_URL or TRUST_PROXY behind a proxy',
    })
  return found
}

const leastFreeBytes = 1024 ** 3

const disk = ({ DATABASE_URL }: Config): readonly Diagnosis[] => {
  const path = /^sqlite:(?!:memory:)(.+)/.exec(DATABASE_URL)?.[1]
  if (path === undefined) return []
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    const freeBytes = bavail * bsize
    const says = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free in ${dirname(path)}`
    return [{ check: 'disk', verdict: freeBytes < leastFreeBytes ? 'look' : 'good', says }]
  } catch {
    return [{ check: 'disk', verdict: 'look', says: `${dirname(path)} is not there yet` }]
  }
}

/** It is opened as it is: nothing is made or migrated. */
const data = async ({ DATABASE_URL }: Config): Promise<readonly Diagnosis[]> => {
  const check = 'data'
  const missing = missingFile(DATABASE_URL)
  if (missing !== undefined)
    return [{ check, verdict: 'look', says: `${missing} is not there: a start makes it` }]
  try {
    const db = await openDatabase(DATABASE_URL)
    try {
      const says = `${withoutPassword(DATABASE_URL)} answers`
      const current = await isCurrent(db).catch(() => false)
      const tables: Diagnosis = current
        ? { check, verdict: 'good', says: `${says}, with the tables of this version` }
        : {
            check,
            verdict: 'look',
            says: `${says}; its tables are of another version: a start migrates older ones`,
          }
      return [tables, ...(db.engine === 'postgres' ? [await durability(db)] : [])]
    } finally {
      await db.close()
    }
  } catch (error) {
    return [{ check, verdict: 'bad', says: causeOf(error) }]
  }
}

/** What the promise of a write is worth with these settings of the server. */
const durability = async (db: Engine): Promise<Diagnosis> => {
  const check = 'durability'
  const settings = new Map(await db.read(raw('SELECT name, setting FROM pg_settings'), toSetting))
  const off = ['fsync', 'full_page_writes'].filter((name) => settings.get(name) === 'off')
  if (off.length > 0)
    return {
      check,
      verdict: 'bad',
      says: `${off.join(' and ')} off: a crash of the machine may break or lose everything`,
    }
  const standbys = settings.get('synchronous_standby_names')
  if (standbys) return { check, verdict: 'good', says: `a write waits for a standby: ${standbys}` }
  return {
    check,
    verdict: 'look',
    says: 'no synchronous standby: what is on the disk of the primary alone goes with it',
  }
}

const toSetting = (row: Row): readonly [string, string] => [String(row.name), String(row.setting)]

const management = ({ MANAGEMENT_HOST, MANAGEMENT_PORT }: Config): readonly Diagnosis[] => {
  if (MANAGEMENT_PORT === 'off' || /^(localhost|127\.|::1)/.test(MANAGEMENT_HOST)) return []
  const says = `metrics, docs and health are open to everybody who reaches ${MANAGEMENT_HOST}:${MANAGEMENT_PORT}`
  return [{ check: 'management', verdict: 'look', says }]
}
