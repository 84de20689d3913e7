import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Problem } from '#core/problem.ts'
import { databaseSuite } from './database.suite.ts'
import type { Database, Make } from './database.ts'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import { type OpenOptions, openDatabase } from './open.ts'
import { key, raw, sql } from './query.ts'
import { DataUnusable, type Reason } from './unusable.ts'

databaseSuite('SQLite', (t) => opened(t, 'sqlite::memory:'))

describe('SQLite makes writes durable', () => {
  test('those of one turn of the event loop by one commit', async (t) => {
    const groups: number[] = []
    const database = await withNotes(t, { observe: { groupCommitted: (writes) => groups.push(writes) } })
    groups.length = 0
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    await add(database, 'e')
    assert.deepEqual(groups, [4, 1])
  })

  test('and a group has a size that it does not exceed', async (t) => {
    const groups: number[] = []
    const observe = { groupCommitted: (writes: number) => groups.push(writes) }
    const database = await withNotes(t, { observe, limits: { groupedWrites: 2 } })
    groups.length = 0
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => add(database, id)))
    assert.deepEqual(groups, [2, 2, 1])
  })

  test('so that a kill loses nothing that was confirmed', async (t) => {
    const path = newPath(t)
    const child = await writer(t, path)
    const confirmed: string[] = []
    child.stdout?.on('data', (lines: string) => confirmed.push(...lines.split('\n').slice(0, -1)))
    while (confirmed.length < 500) await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const database = await opened(t, `sqlite:${path}`)
    const kept = new Set(await database.read(sql`SELECT id FROM note`, (row) => String(row.id)))
    assert.deepEqual(
      confirmed.filter((id) => !kept.has(id)),
      [],
    )
  })

  test('and a log that readers do not hold is folded into the file', async (t) => {
    const path = newPath(t)
    const database = await withNotes(t, { limits: { checkpointStatements: 50 } }, `sqlite:${path}`)
    for (let count = 0; count < 2_000; count++) await add(database, `note${count}`)
    const log = statSync(`${path}-wal`).size
    assert.ok(log < 4 * 1_024 * 1_024, `the log has ${log} bytes`)
    await database.close()
    assert.ok(!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0)
  })
})

describe('SQLite refuses in time', () => {
  test('more writes than may wait', async (t) => {
    const database = await withNotes(t, { limits: { queuedWrites: 3 } })
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? kindOf(outcome.reason) : 'done')),
      ['done', 'done', 'done', 'overloaded'],
    )
  })

  test('more streams than may be open', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, waiting: 0 } })
    await addMany(database)
    for await (const _ of database.stream(sql`SELECT * FROM note`, id)) {
      await refused('overloaded', firstBatch(database))
      break
    }
    await firstBatch(database)
  })

  test('to wait any longer for the reader of a stream, who holds the log', async (t) => {
    const database = await withNotes(t, { limits: { streams: 1, pauseMs: 20 } })
    await addMany(database)
    const slow = database.stream(sql`SELECT * FROM note`, id)[Symbol.asyncIterator]()
    await slow.next()
    await firstBatch(database)
    await refused('storageUnavailable', slow.next())
  })

  test('a work that holds the lane and says nothing, and goes on with the others', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const deadlocked = database.write(async (tx) => {
      await tx.run(sql`INSERT INTO note (id) VALUES (${'outer'})`)
      await add(database, 'inner')
    })
    await refused('storageUnavailable', deadlocked)
    await add(database, 'later')
    assert.deepEqual(await ids(database), ['inner', 'later'])
  })

  test('a part of a unit that ends too late, without harm to whoever writes then', async (t) => {
    const database = await withNotes(t, { limits: { idleMs: 20 } })
    const goOn = Promise.withResolvers<void>()
    const late = database.unit(() =>
      database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'late'})`)
        await goOn.promise
        throw new Error('changed its mind')
      }),
    )
    const other = database.unit(async () => {
      await add(database, 'first')
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'second'})`)
        goOn.resolve()
        await assert.rejects(late, /changed its mind/)
        await tx.run(sql`INSERT INTO note (id) VALUES (${'third'})`)
      })
    })
    await other
    assert.deepEqual(await ids(database), ['first', 'second', 'third'])
  })

  test('writes for which there is no room, while it reads, and writes again when there is', async (t) => {
    const failures: string[] = []
    const database = await withNotes(t, { observe: { storageFailed: (kind) => failures.push(kind) } })
    await add(database, 'a')
    await database.alter((tx) => tx.exec('PRAGMA max_page_count = 1'))
    const outcomes = await Promise.allSettled([
      add(database, 'big', 'x'.repeat(100_000)),
      database.write((tx) => tx.run(sql`UPDATE note SET text = ${'y'} WHERE id = ${key('a')}`)),
    ])
    assert.equal(kindOf((outcomes[0] as PromiseRejectedResult).reason), 'storageUnavailable')
    await refused('storageUnavailable', add(database, 'big', 'x'.repeat(100_000)))
    assert.deepEqual(await ids(database), ['a'])
    await database.alter((tx) => tx.exec('PRAGMA max_page_count = 100000'))
    await add(database, 'big', 'x'.repeat(100_000))
    assert.deepEqual(await ids(database), ['a', 'big'])
    assert.ok(failures.length > 0 && failures.every((kind) => kind === 'full'), String(failures))
  })

  test('all writes of a group when the storage undid all of them', async (t) => {
    const database = await withNotes(t)
    const undoing = () => database.write((tx) => tx.run(raw('ROLLBACK')).catch(() => undefined))
    for (const group of [[add(database, 'a'), undoing(), add(database, 'b')], [undoing()]])
      for (const outcome of await Promise.allSettled(group))
        assert.equal(outcome.status === 'rejected' && kindOf(outcome.reason), 'storageUnavailable')
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['c'])
  })

  test('to wait without end for a lock of another program, but waits a while', async (t) => {
    const path = newPath(t)
    const database = await withNotes(t, { limits: { busyMs: 100 } }, `sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const patient = add(database, 'a')
    await turn()
    assert.deepEqual(await ids(database), [], 'reads go on')
    other.exec('ROLLBACK')
    await patient
    other.exec('BEGIN IMMEDIATE')
    await refused('storageUnavailable', add(database, 'b'))
    other.close()
    await add(database, 'c')
    assert.deepEqual(await ids(database), ['a', 'c'])
  })

  test('to let everybody wait for such a lock one after another', async (t) => {
    const path = newPath(t)
    const failures: string[] = []
    const observe = { storageFailed: (kind: string) => failures.push(kind) }
    const limits = { busyMs: 100, groupedWrites: 2 }
    const database = await withNotes(t, { observe, limits }, `sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const all = Array.from({ length: 20 }, (_, n) => refused('storageUnavailable', add(database, `${n}`)))
    await Promise.all(all)
    other.close()
    assert.deepEqual(failures, ['busy'])
    await add(database, 'a')
    assert.deepEqual(await ids(database), ['a'])
  })
})

describe('SQLite remembers what it read', () => {
  const byId = (id: string) => sql`SELECT id, text FROM note WHERE id = ${key(id)}`
  const list = sql`SELECT id FROM note ORDER BY id`

  test('by its key, until a commit names the key', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    await add(database, 'b')
    const read = await database.read(byId('a'), id)
    assert.equal(await database.read(byId('a'), id), read)
    assert.notEqual(await database.read(byId('b'), id), read)
    assert.notEqual(await database.read(byId('a'), text), read, 'another make makes something else')
    await add(database, 'c')
    await rename(database, 'b')
    assert.equal(await database.read(byId('a'), id), read)
    await rename(database, 'a')
    assert.notEqual(await database.read(byId('a'), id), read)
  })

  test('without a key, until any commit that changes something', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const read = await database.read(list, id)
    const scanned = await database.scan(sql`SELECT text FROM note`, text)
    await rename(database, 'none')
    assert.equal(await database.read(list, id), read)
    assert.equal(await database.scan(sql`SELECT text FROM note`, text), scanned)
    await rename(database, 'a')
    assert.notEqual(await database.read(list, id), read)
    assert.notEqual(await database.scan(sql`SELECT text FROM note`, text), scanned)
  })

  test('and a short stream', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    assert.equal(await firstBatch(database, list), await firstBatch(database, list))
  })

  const readers: [string, (database: Database) => Promise<readonly string[]>][] = [
    ['scan', (database) => database.scan(list, id)],
    ['stream', (database) => firstBatch(database, list)],
  ]
  for (const [name, read] of readers) {
    test(`but not a ${name} that a commit overtook`, async (t) => {
      const database = await withNotes(t)
      await read(database)
      await add(database, 'a')
      const [wrote, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${'b'})`)
        wrote.resolve()
        await goOn.promise
      })
      await wrote.promise
      const reading = read(database)
      for (let ticks = 0; ticks < 50; ticks++) await undefined
      blockThisThread(100)
      goOn.resolve()
      await writing
      await reading
      assert.deepEqual(await read(database), ['a', 'b'])
    })
  }

  test('in a form that nobody can change', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const nested: Make<{ inner: { id: unknown } }> = (row) => ({ inner: { id: row.id } })
    const [made] = await database.read(byId('a'), nested)
    assert.throws(() => {
      if (made) made.inner.id = 'changed'
    }, TypeError)
  })

  test('but not more than there is room for', async (t) => {
    const database = await withNotes(t)
    await add(database, 'a')
    const read = await database.read(byId('a'), id)
    for (let count = 0; count < 30_000; count++) await database.read(byId(`none${count}`), id)
    assert.notEqual(await database.read(byId('a'), id), read)
  })
})

describe('SQLite refuses a file that it cannot use', () => {
  test('because another process uses it, until that one ends, however it ends', async (t) => {
    const path = newPath(t)
    const child = await writer(t, path)
    await unusable('locked', path)
    symlinkSync(path, `${path}.link`)
    await unusable('locked', `${path}.link`)
    child.kill('SIGKILL')
    await once(child, 'close')
    await opened(t, `sqlite:${path}`)
    await unusable('locked', path)
  })

  const written = (content: string | Uint8Array) => (path: string) => writeFileSync(path, content)
  const refusals: [string, Reason, (path: string) => void][] = [
    ['because it lost all its bytes', 'corrupt', written('')],
    ['because it is something else', 'notADatabase', written('Dear diary, '.repeat(1_000))],
    [
      'because another program made it',
      'notADatabase',
      (path) => new DatabaseSync(path).exec('CREATE TABLE a (b)'),
    ],
    ['because only its log is left', 'corrupt', (path) => writeFileSync(`${path}-wal`, 'log')],
    ['because it is a folder', 'unreadable', (path) => mkdirSync(path)],
  ]
  for (const [name, reason, make] of refusals) {
    test(name, async (t) => {
      const path = newPath(t)
      make(path)
      await unusable(reason, path)
    })
  }

  test('because its folder is a file', async (t) => {
    const path = newPath(t)
    writeFileSync(path, 'x')
    await unusable('unreadable', join(path, 'rollcall.db'))
  })

  test('because its beginning was overwritten', async (t) => {
    const path = await filled(t)
    const bytes = readFileSync(path)
    bytes.fill(0x55, 0, 16)
    writeFileSync(path, bytes)
    await unusable('notADatabase', path)
  })

  test('because its tables are no longer described', async (t) => {
    const path = await filled(t)
    const bytes = readFileSync(path)
    bytes.fill(0x55, 100, 4_000)
    writeFileSync(path, bytes)
    await unusable('corrupt', path)
  })

  test('because its end was cut off', async (t) => {
    const path = await filled(t)
    truncateSync(path, statSync(path).size / 2)
    await unusable('corrupt', path)
  })

  test('and leaves it as it was', async (t) => {
    const path = newPath(t)
    writeFileSync(path, 'Dear diary')
    await unusable('notADatabase', path)
    assert.equal(readFileSync(path, 'utf8'), 'Dear diary')
  })
})

describe('SQLite keeps its files', () => {
  test('from others on the machine', async (t) => {
    const path = join(newPath(t), 'deeper', 'rollcall.db')
    await withNotes(t, {}, `sqlite:${path}`)
    assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`])
      assert.equal(statSync(file).mode & 0o777, 0o600, file)
  })

  test('and changes no permissions that somebody gave', async (t) => {
    const path = await filled(t)
    chmodSync(path, 0o640)
    await opened(t, `sqlite:${path}`)
    assert.equal(statSync(path).mode & 0o777, 0o640)
  })

  test('beyond a restart, and a state word tells the starts apart', async (t) => {
    const path = newPath(t)
    const first = await withNotes(t, {}, `sqlite:${path}`)
    await add(first, 'a')
    const state = await first.state()
    await first.close()
    const second = await opened(t, `sqlite:${path}`)
    assert.deepEqual(await ids(second), ['a'])
    assert.notEqual(await second.state(), state)
  })

  test('nowhere, when it is in memory', async (t) => {
    const database = await withNotes(t)
    const [file] = await database.read(sql`SELECT file FROM pragma_database_list`, (row) => String(row.file))
    assert.ok(existsSync(String(file)))
    await database.close()
    assert.ok(!existsSync(String(file)))
  })
})

const opened = async (t: TestContext, url: string, options: OpenOptions = {}) => {
  const database = await openDatabase(url, options)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= database.close()
    return closed
  }
  t.after(close)
  return { ...database, close }
}

const notes = { room: 'note', name: '001-notes', text: 'CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);' }

const withNotes = async (
  t: TestContext,
  options: OpenOptions = {},
  url = 'sqlite::memory:',
): Promise<Engine> => {
  const database = await opened(t, url, options)
  await migrate(database, [notes])
  return database
}

const newPath = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'rollcall.db')
}

/** A closed database with a few pages. */
const filled = async (t: TestContext) => {
  const path = newPath(t)
  const database = await withNotes(t, {}, `sqlite:${path}`)
  await addMany(database)
  await database.close()
  return path
}

/** Another process that opens the database, and says the id of each note that it wrote. */
const writer = async (t: TestContext, path: string): Promise<ChildProcess> => {
  const program = `
    import { openDatabase } from '#sql/open.ts'
    import { migrate } from '#sql/migrate.ts'
    import { sql } from '#sql/query.ts'
    const database = await openDatabase(${JSON.stringify(`sqlite:${path}`)})
    await migrate(database, [${JSON.stringify(notes)}])
    for (let count = 0; ; count++) {
      const ids = [1, 2, 3].map((part) => 'note' + count + '-' + part)
      await Promise.all(ids.map((id) => database.write((tx) => tx.run(sql\`INSERT INTO note (id) VALUES (\${id})\`))))
      process.stdout.write(ids.join('\\n') + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8')
  await once(child.stdout, 'data')
  return child
}

const add = async (database: Database, id: string, text = ''): Promise<void> => {
  await database.write((tx) => tx.run(sql`INSERT INTO note (id, text) VALUES (${key(id)}, ${text})`))
}

const addMany = (database: Database) =>
  database.write((tx) =>
    tx.run(sql`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO note (id, text) SELECT 'note' || i, 'text' FROM n`),
  )

const rename = (database: Database, id: string) =>
  database.write((tx) => tx.run(sql`UPDATE note SET text = ${'new'} WHERE id = ${key(id)}`))

const id: Make<string> = (row) => String(row.id)

const text: Make<string> = (row) => String(row.text)

const ids = (database: Database) => database.read(sql`SELECT id FROM note ORDER BY id`, id)

const firstBatch = async (database: Database, query = sql`SELECT * FROM note`) => {
  for await (const batch of database.stream(query, id)) return batch
  return []
}

const blockThisThread = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const kindOf = (error: unknown) => (error instanceof Problem ? error.kind : error)

const refused = (kind: Problem['kind'], work: Promise<unknown>) =>
  assert.rejects(work, (error) => error instanceof Problem && error.kind === kind)

const unusable = (reason: Reason, path: string) =>
  assert.rejects(openDatabase(`sqlite:${path}`), (error) => {
    assert.ok(error instanceof DataUnusable, String(error))
    assert.equal(error.reason, reason)
    return true
  })
