import { Argument } from 'commander'
import { ledgerRecords } from '#ledger/records.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, sqlitePathOf } from '#sql/open.ts'
import type { Records } from '#sql/records.ts'
import { nameDamagedFile } from '#sql/sqlite/damage.ts'
import { fileExists, requireNoRemains } from '#sql/sqlite/file.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { openConfiguredDatabase } from '#src/app/database.ts'
import { migrateAll, requireCurrentTables } from '#src/app/migrations.ts'
import { resourcesOf } from '#src/app/resources.ts'
import type { Config } from '#src/config.ts'
import { UsageError } from './exit.ts'

/** The limits of reading from a stream. They are high, because the command delays no other requests. */
const limits = { streamMs: 24 * 60 * 60 * 1000, pauseMs: 60 * 60 * 1000 }

type DatabaseSettings = Pick<Config, 'DATABASE_URL' | 'RESOURCES'>

type Resources = readonly Resource[]

/** Opens or creates a database, migrates it to this version, runs the work and closes it. */
export const withDatabase = async <T>(
  settings: DatabaseSettings,
  work: (db: Engine, migrations: readonly string[]) => Promise<T>,
): Promise<T> => {
  const { DATABASE_URL: url } = settings
  const resources = await resourcesOf(settings)
  return withOpenDatabase(url, {}, (db) =>
    nameDamagedFile(
      url,
      migrateAll(db, resources, { rewriting: announceRewrite }).then((migrations) => work(db, migrations)),
    ),
  )
}

const announceRewrite = (migration: string) =>
  void process.stderr.write(`Rewriting rows for ${migration}: some minutes per million rows …\n`)

/** Opens a database without migrating it: a command that only reads must not change the tables of an earlier version. */
export const withUntouchedDatabase = async <T>(
  settings: DatabaseSettings,
  work: (db: Engine, resources: Resources) => Promise<T>,
  check: (db: Engine, resources: Resources, url: string) => Promise<void> = requireCurrentTables,
): Promise<T> => {
  const { DATABASE_URL: url } = settings
  const resources = await resourcesOf(settings)
  requireExisting(url)
  return withOpenDatabase(url, { readOnly: true }, (db) =>
    nameDamagedFile(
      url,
      check(db, resources, url).then(() => work(db, resources)),
    ),
  )
}

/** Opens a database as it is, runs the work and closes it. */
export const withOpenDatabase = async <T>(
  url: string,
  options: OpenOptions,
  work: (db: Engine) => Promise<T>,
): Promise<T> => {
  const db = await openConfiguredDatabase(url, { limits, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The path of a SQLite database if its file does not exist. */
export const missingFileOf = (url: string): string | undefined => {
  const path = sqlitePathOf(url)
  return path === undefined || fileExists(path) ? undefined : path
}

/** Refuses a database that does not exist, so that a mistyped name does not create an empty one. */
export const requireExisting = (url: string) => {
  const path = missingFileOf(url)
  if (path === undefined) return
  requireNoRemains(path)
  throw new DatabaseMissing(`There is no database at ${path}.`)
}

class DatabaseMissing extends UsageError {}

/** True for the error of a database that does not exist yet or has no tables of Rollcall. */
export const isBeforeFirstStart = (error: unknown): error is Error =>
  error instanceof DatabaseMissing || (error instanceof DataUnusable && error.reason === 'otherTables')

/** Adds a remedy to the error of a database that a running service has locked: sending the command to that service. */
export const explainLock = <T>(opening: Promise<T>): Promise<T> =>
  opening.catch((error) => {
    if (!(error instanceof DataUnusable && error.reason === 'locked')) throw error
    const words = `${error.message} Or send the command to the running service with --url.`
    throw new DataUnusable('locked', words, error)
  })

/** All stored records, those of resources and those of the service itself, in an order in which they can be inserted. */
export const allRecords = (db: Engine, resources: Resources): readonly Records[] => [
  ...resources.flatMap((resource) => [resource.records(db), ...(resource.relatedRecords?.(db) ?? [])]),
  ...ledgerRecords(db),
]

/** The plural names of the resources, joined by `or`. */
export const pluralsOf = (resources: Resources) => resources.map(({ plural }) => plural).join(' or ')

/** The argument that names the resource to import or export. */
export const resourceArgument = (resources: Resources) => {
  const argument = new Argument('<what>', pluralsOf(resources)).choices(resources.map(({ plural }) => plural))
  return argument.argParser((name: string) => {
    const found = resources.find(({ plural }) => plural === name)
    if (found) return found
    throw new UsageError(`There are no ${name}: choose ${pluralsOf(resources)}.`)
  })
}
