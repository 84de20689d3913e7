import type { Engine, Observer } from './engine.ts'

export interface OpenOptions {
  readonly observe?: Observer
}

/** `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. */
export const openDatabase = async (url: string, { observe }: OpenOptions = {}): Promise<Engine> => {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), observe)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, observe)
  throw new Error('A database is sqlite:PATH, sqlite::memory: or postgres://…')
}

const openSqlite = async (path: string, observe: Observer | undefined) => {
  const { openSqlite } = await import('./sqlite/engine.ts')
  return openSqlite(path === ':memory:' ? undefined : path, observe)
}

/** Loaded only where it is used. */
const openPostgres = async (url: string, observe: Observer | undefined) => {
  const { openPostgres } = await import('./postgres/engine.ts')
  return openPostgres(url, observe)
}
