import type { RowMapper } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { type Query, raw } from '#sql/query.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { type Connection, connection } from './connection.ts'
import { throwReported } from './errors.ts'
import { examine, unusable } from './file-faults.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { SqliteOptions } from './open.ts'
import { type ReadOnlyFile, readOnlyFile } from './read-only-file.ts'
import { readers } from './readers.ts'

/** Opens a database without changing a byte of its file. Every write is refused. */
export const openReadOnly = async (given: string, options: SqliteOptions = {}): Promise<Engine> => {
  using opened = new DisposableStack()
  const limits = { ...defaultLimits, ...options.limits }
  try {
    const file = readOnlyFile(given)
    opened.defer(file.release)
    const reader = connection(file.address, { durable: true, readOnly: true })
    opened.defer(reader.close)
    await retryWhileBusy(limits.busyMs, () => examine(reader, given))
    opened.move()
    return engine({ file, reader, limits, observer: options.observe ?? {} })
  } catch (error) {
    throw unusable(given, error)
  }
}

interface Parts {
  readonly file: ReadOnlyFile
  readonly reader: Connection
  readonly limits: Limits
  readonly observer: Observer
}

const engine = ({ file, reader, limits, observer }: Parts): Engine => {
  const threads = readers({ path: file.address, limits, observer, waitForShortWal: async () => true })

  const read = <T>(query: Query, make: RowMapper<T>) =>
    retryWhileBusy(limits.busyMs, () => reader.rows(query).map(make)).catch(throwReported(observer))

  return {
    engine: 'sqlite',
    find: async (query, make) => (await read(query, make))[0],
    read,
    scan: async (query, make) => (await threads.scan(query)).map(make),
    async *stream(query, make) {
      for await (const { rows } of threads.stream(query)) yield rows.map(make)
    },
    write: refuse,
    run: refuse,
    unit: refuse,
    alter: refuse,
    listen: async () => async () => undefined,
    stateToken: async () => 'read-only',
    ping: async () => void (await read(raw('PRAGMA schema_version'), () => undefined)),
    async close() {
      await threads.close()
      reader.close()
      file.release()
    },
  }
}

const refuse = () => Promise.reject(new Error('the database was opened read-only'))
