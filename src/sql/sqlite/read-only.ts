import type { RowMapper } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { type Query, raw } from '#sql/query.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { type Connection, connection } from './connection.ts'
import { reportAndThrow } from './errors.ts'
import { requireRollcallDatabase, toUnusable } from './file-faults.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { SqliteOptions } from './open.ts'
import { type ReadOnlyFile, readOnlyFile } from './read-only-file.ts'
import { readers } from './readers.ts'

/** Opens a database without changing a byte of its file. Every write is refused. */
export const openReadOnly = async (path: string, options: SqliteOptions = {}): Promise<Engine> => {
  using cleanup = new DisposableStack()
  const limits = { ...defaultLimits, ...options.limits }
  try {
    const file = readOnlyFile(path)
    cleanup.defer(file.release)
    const reader = connection(file.uri, { durable: true, readOnly: true })
    cleanup.defer(reader.close)
    await retryWhileBusy(limits.busyMs, () => requireRollcallDatabase(reader, path))
    cleanup.move()
    return engine({ file, reader, limits, observer: options.observe ?? {} })
  } catch (error) {
    throw toUnusable(path, error)
  }
}

interface ReadOnlyEngineParts {
  readonly file: ReadOnlyFile
  readonly reader: Connection
  readonly limits: Limits
  readonly observer: Observer
}

const engine = ({ file, reader, limits, observer }: ReadOnlyEngineParts): Engine => {
  const threads = readers({ path: file.uri, limits, observer, waitForShortWal: async () => true })

  const read = <T>(query: Query, mapRow: RowMapper<T>) =>
    retryWhileBusy(limits.busyMs, () => reader.rows(query).map(mapRow)).catch(reportAndThrow(observer))

  return {
    engine: 'sqlite',
    find: async (query, mapRow) => (await read(query, mapRow))[0],
    read,
    scan: async (query, mapRow) => (await threads.scan(query)).map(mapRow),
    async *stream(query, mapRow) {
      for await (const { rows } of threads.stream(query)) yield rows.map(mapRow)
    },
    write: refuseWrite,
    run: refuseWrite,
    unit: refuseWrite,
    alter: refuseWrite,
    listen: async () => async () => undefined,
    commitToken: async () => 'read-only',
    ping: async () => void (await read(raw('PRAGMA schema_version'), () => undefined)),
    async close() {
      await threads.close()
      reader.close()
      file.release()
    },
  }
}

const refuseWrite = () => Promise.reject(new Error('the database was opened read-only'))
