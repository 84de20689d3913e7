import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { erasureTopic, type RowMapper } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { listeners } from '#sql/listeners.ts'
import { runLogged } from '#sql/log-table.ts'
import { type Query, raw } from '#sql/query.ts'
import { units } from '#sql/unit.ts'
import { retryWhileBusy } from './busy-retry.ts'
import { checkpoints } from './checkpoints.ts'
import type { Connection } from './connection.ts'
import { durability } from './durability.ts'
import { isStorageFailure, throwReported } from './errors.ts'
import { applicationId, unusable } from './file-faults.ts'
import { type Committed, lane } from './lane.ts'
import type { Limits } from './limits.ts'
import { readers } from './readers.ts'
import { isByKey, recordCache } from './record-cache.ts'
import { resultCache } from './result-cache.ts'
import { snapshot } from './snapshot.ts'
import { savepointsIfNeeded } from './transaction.ts'
import { useWal, type Wal } from './wal.ts'
import type { WatchedFiles } from './watched-files.ts'

interface Parts {
  readonly path: string
  /** `files` and `wal` are undefined for a temporary database. */
  readonly files: WatchedFiles | undefined
  readonly wal: Wal | undefined
  readonly writer: Connection
  readonly reader: Connection
  readonly observer: Observer
  readonly limits: Limits
  readonly release: () => void
}

export const engine = ({ path, files, wal, writer, reader, observer, limits, release }: Parts): Engine => {
  const records = recordCache()
  const results = resultCache()
  const lastDurable = snapshot(reader)
  const listening = listeners()
  const start = randomBytes(6).toString('base64url')
  let commits = 0

  /** Whether the last write failed on the disk. */
  let isFailing = false

  const committed = (changes: Committed) => {
    isFailing = false
    lastDurable.renew()
    if (!changes.changed) return
    commits++
    results.clear()
    if (changes.all) records.clear()
    else for (const key of changes.keys) records.delete(key)
    if (changes.altered) reader.forgetTables()
    checkpointing.written(changes.rows)
    if (changes.publications.some(({ topic }) => topic === erasureTopic)) checkpointing.scrub()
    for (const publication of changes.publications) listening.notify(publication)
  }
  const reopen = () =>
    writes.between(async () => {
      await Promise.all([checkpointing.end(), threads.end()])
      // SQLite checkpoints when the last connection closes. The reader closes last, because it is read-only and cannot.
      writer.close()
      wal?.cut()
      reader.close()
      writer.reopen()
      reader.reopen()
      useWal(writer, true)
      wal?.reopened()
      lastDurable.renew()
      threads.begin()
      checkpointing.begin()
    })
  const disk = durability({ wal, lastDurable, reopen, limits, observer })
  const beforeBegin = () => {
    disk.check()
    files?.checkOccasionally()
  }
  // If the WAL fills the disk, no commit succeeds, so none would start the checkpoint that lets the WAL restart.
  const refused = (kind: string) => {
    observer.storageFailed?.(kind)
    isFailing ||= kind === 'io'
    if (kind === 'full') checkpointing.checkpoint()
  }
  const watched = { ...observer, storageFailed: refused }
  const { commit } = disk
  const writes = lane({ writer, beforeBegin, commit, committed, observer: watched, limits })
  const releaseSnapshot = () => {
    disk.check()
    lastDurable.renew()
  }
  const scrub = async () => wal?.scrub(writer)
  const checkpointing = checkpoints({
    path,
    limits,
    observer,
    between: writes.between,
    releaseSnapshot,
    scrub,
  })
  const threads = readers({ path, limits, observer, waitForShortWal: checkpointing.settled })
  const walBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  observer.walOpened?.(walBytes)
  // A process that was killed, or had a full disk, left its WAL behind.
  if (walBytes() > 0) checkpointing.checkpoint()
  if (writer.rows(raw('PRAGMA user_version'))[0]?.user_version === 1) checkpointing.scrub()
  const { current, unit } = units(savepointsIfNeeded(writes.write))

  const observed = <T>(cached: T | undefined): T | undefined => {
    observer.cacheRead?.(cached !== undefined)
    return cached
  }

  const cachedRows = <T>(query: Query, make: RowMapper<T>) => observed(results.get(query, make))

  /** Reads and caches synchronously, so that no commit comes in between. */
  const ask = <T, R>(query: Query, make: RowMapper<T>, keep: (made: readonly T[]) => R) =>
    retryWhileBusy(limits.busyMs, () => keep(lastDurable.rows(query).map(make))).catch(
      throwReported(observer),
    )

  const read = async <T>(query: Query, make: RowMapper<T>): Promise<readonly T[]> =>
    cachedRows(query, make) ??
    ask(query, make, (made) => {
      results.set(query, make, made)
      return made
    })

  const findByKey = async <T>(query: Query, make: RowMapper<T>): Promise<T | undefined> => {
    const cached = observed(records.get(query, make))
    if (cached) return cached.record
    return ask(query, make, ([made]) => {
      records.set(query, make, made)
      return made
    })
  }

  let closing: Promise<void> | undefined
  const close = async () => {
    disk.close()
    await writes.close()
    await Promise.all([checkpointing.close(), threads.close()])
    if (!disk.hasFailed()) {
      lastDurable.renew()
      reader.close()
      // Checkpoints the whole WAL. If that fails, the next start does it.
      await retryWhileBusy(limits.busyMs, () => writer.command('PRAGMA wal_checkpoint(TRUNCATE)')).catch(
        () => undefined,
      )
      if (checkpointing.isUnclean()) await scrub().catch(() => undefined)
    }
    writer.close()
    if (disk.hasFailed()) cutAtTheEnd(wal)
    reader.close()
    wal?.close()
    release()
  }

  const write: Engine['write'] = (work) => current()?.write(work) ?? writes.write(work)

  return {
    engine: 'sqlite',

    find(query, make) {
      const tx = current()?.tx
      if (!tx && isByKey(query)) return findByKey(query, make)
      return (tx ?? { read }).read(query, make).then(([first]) => first)
    },

    read: (query, make) => current()?.tx?.read(query, make) ?? read(query, make),

    async scan(query, make) {
      const tx = current()?.tx
      if (tx) return tx.read(query, make)
      const cached = cachedRows(query, make)
      if (cached) return cached
      const commitsBefore = commits
      try {
        disk.check()
        const rows = await threads.scan(query)
        await disk.settled()
        const made = rows.map(make)
        if (commits === commitsBefore) results.set(query, make, made)
        return made
      } catch (error) {
        if (!disk.hasFailed()) throw error
        // The thread read the commit that the disk refused. The reader here still has the state before it.
        return ask(query, make, (made) => made)
      }
    },

    async *stream(query, make) {
      const cached = cachedRows(query, make)
      if (cached) return yield cached
      const commitsBefore = commits
      let isSettled = false
      for await (const { rows, all } of threads.stream(query)) {
        if (!isSettled) await disk.settled()
        isSettled = true
        const made = rows.map(make)
        if (all && commits === commitsBefore) results.set(query, make, made)
        yield made
      }
    },

    write,
    run: (query, entry) => current()?.write((tx) => runLogged(tx, query, entry)) ?? writes.run(query, entry),
    alter: (work) =>
      writes.write(work).catch((error) => {
        throw isStorageFailure(error) ? unusable(path, error) : error
      }),
    unit,

    async listen(topic, listener) {
      const stop = listening.add(topic, listener)
      return async () => stop()
    },

    stateToken: async () => `${start}-${commits}`,

    async ping() {
      const ask = () => {
        disk.check()
        files?.check()
        return lastDurable.rows(raw('PRAGMA schema_version'))
      }
      await retryWhileBusy(limits.busyMs, ask).catch(throwReported(observer))
      // If callers have stopped writing, only this write, which changes nothing, can notice that the disk has recovered.
      if (isFailing) await writes.write((tx) => tx.exec(`PRAGMA application_id = ${applicationId}`))
    },

    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** If cutting fails as well, the next start may find the refused commit. */
const cutAtTheEnd = (wal: Wal | undefined) => {
  try {
    wal?.cut()
  } catch {
    // Nothing is left to try, and the database must be closed.
  }
}
