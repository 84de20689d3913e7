import type { Make } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { type Query, raw } from '#sql/query.ts'
import { type Connection, connection } from './connection.ts'
import { noted } from './errors.ts'
import { examine, unusable } from './file-faults.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { SqliteOptions } from './open.ts'
import { patiently } from './patience.ts'
import { readers } from './readers.ts'
import { type UntouchedFile, untouchedFile } from './untouched-file.ts'

/** Opens a database read-only. Its file stays as it is, to the byte: every write is refused. */
export const openUntouched = async (given: string, options: SqliteOptions = {}): Promise<Engine> => {
  using opened = new DisposableStack()
  const limits = { ...defaultLimits, ...options.limits }
  try {
    const file = untouchedFile(given)
    opened.defer(file.release)
    const reader = connection(file.address, { durable: true, readOnly: true })
    opened.defer(reader.close)
    await patiently(limits.busyMs, () => examine(reader, given))
    opened.move()
    return engine({ file, reader, limits, observer: options.observe ?? {} })
  } catch (error) {
    throw unusable(given, error)
  }
}

interface Parts {
  readonly file: UntouchedFile
  readonly reader: Connection
  readonly limits: Limits
  readonly observer: Observer
}

const engine = ({ file, reader, limits, observer }: Parts): Engine => {
  const threads = readers({ path: file.address, limits, observer, logSettled: async () => true })

  const read = <T>(query: Query, make: Make<T>) =>
    patiently(limits.busyMs, () => reader.rows(query).map(make)).catch((error) => {
      throw noted(observer, error)
    })

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
    state: async () => 'untouched',
    ping: async () => void (await read(raw('PRAGMA schema_version'), () => undefined)),
    async close() {
      await threads.close()
      reader.close()
      file.release()
    },
  }
}

const refuse = () => Promise.reject(new Error('the database was opened read-only'))
