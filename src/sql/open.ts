import type { Engine, Observer } from './engine.ts'
import type { Limits as PostgresLimits } from './postgres/limits.ts'
import type { Limits as SqliteLimits } from './sqlite/limits.ts'

export interface OpenOptions {
  readonly observe?: Observer
  /** Overrides of the engine's default limits. */
  readonly limits?: Partial<SqliteLimits & PostgresLimits>
  /** How many connections to PostgreSQL it may have. */
  readonly connections?: number
  /** Opens a SQLite file read-only: it stays as it is, to the byte. */
  readonly untouched?: boolean
}

/** `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Only the engine that is used is loaded. */
export const openDatabase = async (url: string, options: OpenOptions = {}): Promise<Engine> => {
  if (url.startsWith('sqlite:')) {
    const path = sqlitePathOf(url)
    if (options.untouched && path !== undefined)
      return (await import('./sqlite/untouched.ts')).openUntouched(path, options)
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(path, options)
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/engine.ts')
    return openPostgres(url, options)
  }
  throw new Error('A database is sqlite:PATH, sqlite::memory: or postgres://…')
}

/** The path of a SQLite database file; undefined if the database is not in a file. */
export const sqlitePathOf = (url: string): string | undefined =>
  url === 'sqlite::memory:' ? undefined : /^sqlite:(.*)/s.exec(url)?.[1]
