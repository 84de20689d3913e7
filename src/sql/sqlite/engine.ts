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
import { isStorageFailure, reportAndThrow } from './errors.ts'
import { applicationId, toUnusable } from './file-faults.ts'
import type { Limits } from './limits.ts'
import { readers } from './readers.ts'
import { isByKey, recordCache } from './record-cache.ts'
import { resultCache } from './result-cache.ts'
import { snapshot } from './snapshot.ts'
import { savepointsIfNeeded } from './transaction.ts'
import { enableWal, isErasurePending, type Wal } from './wal.ts'
import type { WatchedFiles } from './watched-files.ts'
import { type CommitSummary, writeQueue } from './write-queue.ts'

interface EngineParts {
  readonly path: string
  /** Undefined for a temporary database, like `wal`. */
  readonly files: WatchedFiles | undefined
  readonly wal: Wal | undefined
  readonly writer: Connection
  readonly reader: Connection
  readonly observer: Observer
  readonly limits: Limits
  readonly onClosed: () => void
}

export const engine = (parts: EngineParts): Engine => {
  const { path, files, wal, writer, reader, observer, limits, onClosed } = parts
  const records = recordCache()
  const results = resultCache()
  const durableSnapshot = snapshot(reader)
  const topicListeners = listeners()
  const processToken = randomBytes(6).toString('base64url')
  let commits = 0

  /** True if the last write failed on the disk. */
  let isFailing = false

  const onCommitted = (changes: CommitSummary) => {
    isFailing = false
    durableSnapshot.renew()
    if (!changes.hasChanges) return
    commits++
    results.clear()
    if (changes.mayChangeAnyRecord) records.clear()
    else for (const key of changes.changedKeys) records.delete(key)
    if (changes.hasAlteredTables) reader.forgetTables()
    walCheckpoints.countWritten(changes.changedRows)
    if (changes.publications.some(({ topic }) => topic === erasureTopic)) walCheckpoints.overwriteDeleted()
    for (const publication of changes.publications) topicListeners.notify(publication)
  }
  const reopen = () =>
    writes.runBetweenTransactions(async () => {
      await Promise.all([walCheckpoints.suspend(), readerThreads.suspend()])
      // The last connection to close would checkpoint the WAL with the refused commit. The reader cannot, because it is read-only.
      writer.close()
      wal?.cutOffUnsynced()
      reader.close()
      writer.reopen()
      reader.reopen()
      enableWal(writer, true)
      wal?.requireCutOff()
      durableSnapshot.renew()
      readerThreads.resume()
      walCheckpoints.resume()
    })
  const durableCommits = durability({ wal, durableSnapshot, reopen, limits, observer })
  const beforeBegin = () => {
    durableCommits.requireWorking()
    files?.checkOccasionally()
  }
  // If the WAL has filled the disk, no commit succeeds, so no commit starts the checkpoint that lets the WAL restart.
  const onStorageFailed = (reason: string) => {
    observer.storageFailed?.(reason)
    isFailing ||= reason === 'io'
    if (reason === 'full') walCheckpoints.checkpoint()
  }
  const writeObserver = { ...observer, storageFailed: onStorageFailed }
  const { commit } = durableCommits
  const writes = writeQueue({ writer, beforeBegin, commit, onCommitted, observer: writeObserver, limits })
  const releaseSnapshot = () => {
    durableCommits.requireWorking()
    durableSnapshot.renew()
  }
  const overwriteDeleted = async () => wal?.overwriteDeleted(writer)
  const walCheckpoints = checkpoints({
    path,
    limits,
    observer,
    runBetweenTransactions: writes.runBetweenTransactions,
    releaseSnapshot,
    overwriteDeleted,
  })
  const readerThreads = readers({ path, limits, observer, waitForShortWal: walCheckpoints.waitForShortWal })
  const walBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  observer.walOpened?.(walBytes)
  // If the previous process was killed or had a full disk, its WAL is still there.
  if (walBytes() > 0) walCheckpoints.checkpoint()
  if (isErasurePending(writer)) walCheckpoints.overwriteDeleted()
  const { current, unit } = units(savepointsIfNeeded(writes.write))

  const countCacheRead = <T>(cached: T | undefined): T | undefined => {
    observer.cacheRead?.(cached !== undefined)
    return cached
  }

  const cachedRows = <T>(query: Query, mapRow: RowMapper<T>) => countCacheRead(results.get(query, mapRow))

  /** Reads the last durable state. Caches the result at once, so that no commit comes in between. */
  const readDurable = <T, R>(query: Query, mapRow: RowMapper<T>, use: (rows: readonly T[]) => R) =>
    retryWhileBusy(limits.busyMs, () => use(durableSnapshot.rows(query).map(mapRow))).catch(
      reportAndThrow(observer),
    )

  const read = async <T>(query: Query, mapRow: RowMapper<T>): Promise<readonly T[]> =>
    cachedRows(query, mapRow) ??
    readDurable(query, mapRow, (rows) => {
      results.set(query, mapRow, rows)
      return rows
    })

  const findByKey = async <T>(query: Query, mapRow: RowMapper<T>): Promise<T | undefined> => {
    const cached = countCacheRead(records.get(query, mapRow))
    if (cached) return cached.record
    return readDurable(query, mapRow, ([record]) => {
      records.set(query, mapRow, record)
      return record
    })
  }

  let closing: Promise<void> | undefined
  const close = async () => {
    durableCommits.close()
    await writes.close()
    await Promise.all([walCheckpoints.close(), readerThreads.close()])
    if (!durableCommits.hasFailed()) {
      durableSnapshot.renew()
      reader.close()
      // Checkpoints the whole WAL. If this fails, the next process to open the database does it.
      await retryWhileBusy(limits.busyMs, () => writer.command('PRAGMA wal_checkpoint(TRUNCATE)')).catch(
        () => undefined,
      )
      if (walCheckpoints.mustOverwriteDeleted()) await overwriteDeleted().catch(() => undefined)
    }
    writer.close()
    if (durableCommits.hasFailed()) cutBeforeClosing(wal)
    reader.close()
    wal?.close()
    onClosed()
  }

  const write: Engine['write'] = (work) => current()?.write(work) ?? writes.write(work)

  return {
    engine: 'sqlite',

    find(query, mapRow) {
      const tx = current()?.tx
      if (!tx && isByKey(query)) return findByKey(query, mapRow)
      return (tx ?? { read }).read(query, mapRow).then(([first]) => first)
    },

    read: (query, mapRow) => current()?.tx?.read(query, mapRow) ?? read(query, mapRow),

    async scan(query, mapRow) {
      const tx = current()?.tx
      if (tx) return tx.read(query, mapRow)
      const cached = cachedRows(query, mapRow)
      if (cached) return cached
      const commitsBefore = commits
      try {
        durableCommits.requireWorking()
        const rows = await readerThreads.scan(query)
        await durableCommits.waitForSync()
        const mapped = rows.map(mapRow)
        if (commits === commitsBefore) results.set(query, mapRow, mapped)
        return mapped
      } catch (error) {
        if (!durableCommits.hasFailed()) throw error
        // The reader thread has read the commit that could not be synced. The reader here still reads the state before that commit.
        return readDurable(query, mapRow, (rows) => rows)
      }
    },

    async *stream(query, mapRow) {
      const cached = cachedRows(query, mapRow)
      if (cached) return yield cached
      const commitsBefore = commits
      let isSynced = false
      for await (const { rows, areAll } of readerThreads.stream(query)) {
        if (!isSynced) await durableCommits.waitForSync()
        isSynced = true
        const mapped = rows.map(mapRow)
        if (areAll && commits === commitsBefore) results.set(query, mapRow, mapped)
        yield mapped
      }
    },

    write,
    run: (query, entry) => current()?.write((tx) => runLogged(tx, query, entry)) ?? writes.run(query, entry),
    alter: (work) =>
      writes.write(work).catch((error) => {
        throw isStorageFailure(error) ? toUnusable(path, error) : error
      }),
    unit,

    async listen(topic, listener) {
      const stop = topicListeners.add(topic, listener)
      return async () => stop()
    },

    commitToken: async () => `${processToken}-${commits}`,

    async ping() {
      const ask = () => {
        durableCommits.requireWorking()
        files?.check()
        return durableSnapshot.rows(raw('PRAGMA schema_version'))
      }
      await retryWhileBusy(limits.busyMs, ask).catch(reportAndThrow(observer))
      // Callers may have stopped writing. Then only this write, which changes nothing, detects that the disk works again.
      if (isFailing) await writes.write((tx) => tx.exec(`PRAGMA application_id = ${applicationId}`))
    },

    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** If this fails as well, the refused commit may be there after the next start. */
const cutBeforeClosing = (wal: Wal | undefined) => {
  try {
    wal?.cutOffUnsynced()
  } catch {
    // The database must be closed in any case.
  }
}
