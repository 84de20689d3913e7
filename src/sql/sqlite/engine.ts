import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { erasureTopic, type Make } from '#sql/database.ts'
import type { Engine, Observer } from '#sql/engine.ts'
import { listeners } from '#sql/listeners.ts'
import { runLogged } from '#sql/log.ts'
import { type Query, raw } from '#sql/query.ts'
import { units } from '#sql/unit.ts'
import { checkpoints } from './checkpoints.ts'
import type { Connection } from './connection.ts'
import { durability } from './durability.ts'
import { isStorageFailure, noted } from './errors.ts'
import { applicationId, unusable } from './file-faults.ts'
import { type Committed, lane } from './lane.ts'
import type { Limits } from './limits.ts'
import type { Location } from './location.ts'
import { patiently } from './patience.ts'
import { readers } from './readers.ts'
import { isByKey, rememberedRecords } from './remembered-records.ts'
import { rememberedRows } from './remembered-rows.ts'
import { snapshot } from './snapshot.ts'
import { useWal, type Wal } from './wal.ts'

interface Parts {
  readonly path: string
  /** Undefined for a temporary database, as is `wal`. */
  readonly location: Location | undefined
  readonly wal: Wal | undefined
  readonly writer: Connection
  readonly reader: Connection
  readonly observer: Observer
  readonly limits: Limits
  readonly release: () => void
}

export const engine = ({ path, location, wal, writer, reader, observer, limits, release }: Parts): Engine => {
  const knownRecords = rememberedRecords()
  const knownRows = rememberedRows()
  const present = snapshot(reader)
  const listening = listeners()
  const start = randomBytes(6).toString('base64url')
  let commits = 0

  /** The disk failed a write, and none has succeeded since. */
  let isFailing = false

  const committed = (changes: Committed) => {
    isFailing = false
    present.renew()
    if (!changes.changed) return
    commits++
    knownRows.clear()
    if (changes.all) knownRecords.clear()
    else for (const key of changes.keys) knownRecords.forget(key)
    if (changes.altered) reader.forgetTables()
    log.written(changes.rows)
    if (changes.publications.some(({ topic }) => topic === erasureTopic)) log.scrub()
    for (const publication of changes.publications) listening.tell(publication)
  }
  const openAnew = () =>
    writes.between(async () => {
      await Promise.all([log.end(), threads.end()])
      // The reader is closed last: it is read-only, so that SQLite does not checkpoint what it should not.
      writer.close()
      wal?.cut()
      reader.close()
      writer.reopen()
      reader.reopen()
      useWal(writer, true)
      wal?.reopened()
      present.renew()
      threads.begin()
      log.begin()
    })
  const disk = durability({ wal, present, openAnew, limits, observer })
  const beforeBegin = () => {
    disk.check()
    location?.checkOccasionally()
  }
  // If the WAL has filled the disk, no commit would trigger the checkpoint that lets it restart.
  const refused = (kind: string) => {
    observer.storageFailed?.(kind)
    isFailing ||= kind === 'io'
    if (kind === 'full') log.checkpoint()
  }
  const watched = { ...observer, storageFailed: refused }
  const { commit } = disk
  const writes = lane({ writer, beforeBegin, commit, committed, observer: watched, limits })
  const releaseSnapshot = () => {
    disk.check()
    present.renew()
  }
  const scrub = async () => wal?.scrub(writer)
  const log = checkpoints({ path, limits, observer, between: writes.between, releaseSnapshot, scrub })
  const threads = readers({ path, limits, observer, logSettled: log.settled })
  const logBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  observer.logOpened?.(logBytes)
  // A process that was killed, or met a full disk, has left its WAL behind.
  if (logBytes() > 0) log.checkpoint()
  if (writer.rows(raw('PRAGMA user_version'))[0]?.user_version === 1) log.scrub()
  const { current, unit } = units(writes.write, (work) => work())

  const recalled = <T>(known: T | undefined): T | undefined => {
    observer.wasRemembered?.(known !== undefined)
    return known
  }

  const recall = <T>(query: Query, make: Make<T>) => recalled(knownRows.find(query, make))

  /** Reads and caches in one step, with no commit in between. */
  const ask = <T, R>(query: Query, make: Make<T>, remember: (made: readonly T[]) => R) =>
    patiently(limits.busyMs, () => remember(present.rows(query).map(make))).catch(refuse(observer))

  const read = async <T>(query: Query, make: Make<T>): Promise<readonly T[]> =>
    recall(query, make) ??
    ask(query, make, (made) => {
      knownRows.keep(query, make, made)
      return made
    })

  const findByKey = async <T>(query: Query, make: Make<T>): Promise<T | undefined> => {
    const known = recalled(knownRecords.find(query, make))
    if (known) return known.record
    return ask(query, make, ([made]) => {
      knownRecords.keep(query, make, made)
      return made
    })
  }

  let closing: Promise<void> | undefined
  const close = async () => {
    disk.close()
    await writes.close()
    await Promise.all([log.close(), threads.close()])
    if (!disk.hasFailed()) {
      present.renew()
      reader.close()
      // Checkpoints the WAL completely. If that fails, the next start does it.
      await patiently(limits.busyMs, () => writer.command('PRAGMA wal_checkpoint(TRUNCATE)')).catch(
        () => undefined,
      )
      if (log.isUnclean()) await scrub().catch(() => undefined)
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
      const known = recall(query, make)
      if (known) return known
      const commitsBefore = commits
      try {
        disk.check()
        const rows = await threads.scan(query)
        await disk.settled()
        const made = rows.map(make)
        if (commits === commitsBefore) knownRows.keep(query, make, made)
        return made
      } catch (error) {
        if (!disk.hasFailed()) throw error
        // A thread sees what the disk did not take; the reader here still has the state before.
        return ask(query, make, (made) => made)
      }
    },

    async *stream(query, make) {
      const known = recall(query, make)
      if (known) return yield known
      const commitsBefore = commits
      let isSettled = false
      for await (const { rows, all } of threads.stream(query)) {
        if (!isSettled) await disk.settled()
        isSettled = true
        const made = rows.map(make)
        if (all && commits === commitsBefore) knownRows.keep(query, make, made)
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

    state: async () => `${start}-${commits}`,

    async ping() {
      const ask = () => {
        disk.check()
        location?.check()
        return present.rows(raw('PRAGMA schema_version'))
      }
      await patiently(limits.busyMs, ask).catch(refuse(observer))
      // Perhaps nobody writes any more, so only this can tell whether the disk has recovered: it writes what is there already.
      if (isFailing) await writes.write((tx) => tx.exec(`PRAGMA application_id = ${applicationId}`))
    },

    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** If the disk fails also now, what was refused may be there at the next start. */
const cutAtTheEnd = (wal: Wal | undefined) => {
  try {
    wal?.cut()
  } catch {
    // There is nothing left to try, and the database must be closed.
  }
}

const refuse = (observer: Observer) => (error: unknown) => {
  throw noted(observer, error)
}
