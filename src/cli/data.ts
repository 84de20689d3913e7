import { Argument } from 'commander'
import { ledgerRecords } from '#ledger/records.ts'
import { resources } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, sqlitePathOf } from '#sql/open.ts'
import type { Records } from '#sql/records.ts'
import { orNameDamaged } from '#sql/sqlite/damage.ts'
import { fileExists, requireNothingLeft } from '#sql/sqlite/file.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { openNamed } from '#src/app/database.ts'
import { migrateAll, requireCurrent } from '#src/app/migrations.ts'
import { UsageError } from './exit.ts'

/** No request waits for the streams of a command, so they may take a long time. */
const limits = { streamMs: 24 * 60 * 60 * 1000, pauseMs: 60 * 60 * 1000 }

type Work<T> = (db: Engine) => Promise<T>

/** Opens or creates a database, migrates it to this version, runs the work and closes it. */
export const withDatabase = <T>(
  url: string,
  work: (db: Engine, migrations: readonly string[]) => Promise<T>,
): Promise<T> =>
  withOpened(url, {}, (db) =>
    orNameDamaged(
      url,
      migrateAll(db).then((migrations) => work(db, migrations)),
    ),
  )

/** Opens a database without migrating it: a command that only reads changes nothing, not even an earlier version's tables. */
export const withUntouchedDatabase = async <T>(
  url: string,
  work: Work<T>,
  check: Work<void> = requireCurrent,
): Promise<T> => {
  requireKept(url)
  return withOpened(url, { untouched: true }, (db) =>
    orNameDamaged(
      url,
      check(db).then(() => work(db)),
    ),
  )
}

/** Opens a database as it is, runs the work and closes it. */
export const withOpened = async <T>(url: string, options: OpenOptions, work: Work<T>): Promise<T> => {
  const db = await openNamed(url, { limits, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The path of a SQLite database whose file does not exist. */
export const missingFile = (url: string): string | undefined => {
  const path = sqlitePathOf(url)
  return path === undefined || fileExists(path) ? undefined : path
}

/** Keeps a mistyped name from creating an empty database. */
export const requireKept = (url: string) => {
  const path = missingFile(url)
  if (path === undefined) return
  requireNothingLeft(path)
  throw new UsageError(`There is no database at ${path}.`)
}

/** If a running service holds the file, the error also suggests asking that service. */
export const orSuggestUrl = <T>(opened: Promise<T>): Promise<T> =>
  opened.catch((error) => {
    if (!(error instanceof DataUnusable && error.reason === 'locked')) throw error
    const words = `${error.message} Or send the command to the running service with --url.`
    throw new DataUnusable('locked', words, error)
  })

/** Everything that a database holds, rooms and ledger, in an order in which it can be written. */
export const allRecords = (db: Engine): readonly Records[] => [
  ...resources.flatMap((resource) => [resource.records(db), ...(resource.alsoMoved?.(db) ?? [])]),
  ...ledgerRecords(db),
]

/** What can be imported and exported. */
export const kinds = resources.map(({ plural }) => plural)

/** The resource with this plural name. */
export const resourceNamed = (name: string): Resource => {
  const found = resources.find(({ plural }) => plural === name)
  if (found) return found
  throw new UsageError(`There are no ${name}: say ${kinds.join(' or ')}.`)
}

/** The argument of a command that says what it copies. */
export const kindArgument = () => {
  const argument = new Argument('<what>', kinds.join(' or ')).choices(kinds)
  return argument.argParser(resourceNamed)
}
