import type { Engine, Observer } from './engine.ts'
import type { Limits as PostgresLimits } from './postgres/limits.ts'
import type { Limits as SqliteLimits } from './sqlite/limits.ts'

export interface OpenOptions {
  readonly observe?: Observer
  readonly limits?: Partial<SqliteLimits & PostgresLimits>
  /** The maximum number of PostgreSQL connections. */
  readonly connections?: number
  /** Opens a SQLite file without changing a byte of it. */
  readonly readOnly?: boolean
}

/** Opens `sqlite:PATH`, `sqlite::memory:` or `postgres://…`, and loads only that engine. */
export const openDatabase = async (url: string, options: OpenOptions = {}): Promise<Engine> => {
  if (url.startsWith('sqlite:')) {
    const path = sqlitePathOf(url)
    if (options.readOnly && path !== undefined)
      return (await import('./sqlite/read-only.ts')).openReadOnly(path, options)
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(path, options)
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/engine.ts')
    return openPostgres(url, options)
  }
  throw new Error('A database URL is sqlite:PATH, sqlite::memory: or postgres://…')
}

/** The path of a SQLite file; undefined if the database is not a SQLite file. */
export const sqlitePathOf = (url: string): string | undefined =>
  url === 'sqlite::memory:' ? undefined : /^sqlite:(.*)/s.exec(url)?.[1]
