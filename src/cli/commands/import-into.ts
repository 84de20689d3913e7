import { createHash } from 'node:crypto'
import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import { changeLog } from '#ledger/change-log.ts'
import { type Mark, progress, RunsElsewhere } from '#ledger/progress.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { openReserved } from '#src/app/reserved-sign-id.ts'
import { UsageError } from '#src/cli/exit.ts'
import { type Entry, placeOf } from '#src/cli/formats/reading.ts'
import { note } from '#src/cli/output.ts'
import type { Config } from '#src/config.ts'
import { dryRun } from './dry-run.ts'
import type { Destination, Task } from './import.ts'
import { reasonOf } from './import-report.ts'

const batchSize = 500

const nothing: Mark = { done: 0, written: 0, refused: 0, consumed: '' }

/** Writes into a database, each batch in one transaction with how far the import has come. */
export const intoDatabase = async (db: Engine, config: Config, task: Task): Promise<Destination> => {
  const { resource, source, report, isDry, isFromStart } = task
  const mark = progress(db, `import ${resource.plural} ${source.path}`)
  const found = await mark.begun()
  // An import that wrote nothing begins anew: its file may be another by now.
  const begun = found === undefined || found.written === 0 || isFromStart ? nothing : found
  if (found !== begun && found !== undefined && !isDry) await mark.ended()
  const kept = resource.records(db, changeLog({ clock: systemClock, newId: risingIds(systemClock) }))
  const records = isDry ? dryRun(kept) : kept
  const judged = await judgeOf(db, config, { task, records })
  const reported = report.keep(begun.done)
  const consumed = createHash('sha256')
  let after = begun.done
  let isResumed = begun === nothing
  /** If what was read before has changed, nobody knows which of the records are written. */
  const resume = () => {
    if (isResumed) return
    isResumed = true
    const place = `${source.format === 'json' ? 'element' : 'line'} ${begun.done.toLocaleString('en')}`
    if (consumed.copy().digest('base64url') !== begun.consumed)
      throw new UsageError(
        `${source.file} has changed up to ${place}, where its import was interrupted when ${begun.written.toLocaleString('en')} of its ` +
          'records had been written: undo that change to resume, or --from-start imports it from the beginning, including those.',
      )
    note(`Resuming after ${place}, where the import was interrupted.`)
    if (reported < begun.refused)
      note(`The report lacks ${begun.refused - reported} of the records refused before the interruption.`)
  }
  const consume = (entry: Entry) => {
    if (placeOf(entry) > begun.done) resume()
    consumed.update(`${placeOf(entry)} ${entry.content}\n`)
    if (placeOf(entry) === begun.done) resume()
  }
  return {
    batchSize,
    before: { written: 0, refused: Math.max(reported, begun.refused), skipped: begun.written },
    async write(batch) {
      batch.forEach(consume)
      const fresh = batch.filter((entry) => placeOf(entry) > begun.done)
      const last = fresh.at(-1)
      if (!last) return {}
      const all = await Promise.all(fresh.map(judged))
      const insertAll = () => insert(records, all, task)
      const step = { after, done: placeOf(last), consumed: consumed.copy().digest('base64url') }
      const written = isDry
        ? await insertAll()
        : await mark.step({ ...step, records: all.length }, insertAll).catch(asRunsElsewhere(task))
      after = step.done
      return { written, refused: all.length - written }
    },
    async end() {
      resume()
      if (!isDry) await mark.ended()
    },
    whenInterrupted: isDry
      ? 'Nothing is written.'
      : `What is written stays. To resume, run it again${isFromStart ? ' without --from-start' : ''}.`,
  }
}

const asRunsElsewhere =
  ({ source }: Task) =>
  (error: unknown): never => {
    if (!(error instanceof RunsElsewhere)) throw error
    throw new UsageError(`Another import of ${source.file} is running, and goes on. This one stops.`)
  }

/** A valid record, or why there is none. */
interface Judged {
  readonly entry: Entry
  readonly record?: object
  readonly error?: unknown
}

const judgeOf = async (
  db: Engine,
  config: Config,
  { task, records }: { readonly task: Task; readonly records: RoomRecords },
) => {
  const validated = bodyReaders(systemClock, config.TIME_ZONE)(task.resource.imported)
  const parts = {
    newId: risingIds(systemClock),
    passwords: passwordHasher({ queueLimit: batchSize }),
    isReserved: await openReserved(config, db),
  }
  return async (entry: Entry): Promise<Judged> => {
    try {
      const body = await validated(entry.parse())
      return { entry, record: await records.read(body, { ...parts, now: systemClock.now() }) }
    } catch (error) {
      return { entry, error }
    }
  }
}

/**
 * Writes the records that can be written, and returns how many. The others are reported before the commit: a resumed
 * import drops a line that was reported too early, but a line still to be reported after the commit could be lost.
 */
const insert = async (records: RoomRecords, judged: readonly Judged[], { report }: Task) => {
  const valid = judged.flatMap(({ record }) => (record ? [record] : []))
  const isWritten = new Map((await records.insert(valid)).map((one, index) => [valid[index], one] as const))
  const refused = judged.filter(({ record }) => !isWritten.get(record))
  const reasons = await Promise.all(
    refused.map(({ record, error }) => (record ? obstaclesOf(records, record) : error)),
  )
  report.overwrite()
  for (const [index, { entry }] of refused.entries()) report.add(entry, reasonOf(reasons[index]))
  return judged.length - refused.length
}

/** Which of its values are taken, or what it refers to and is missing. Nothing if that has changed meanwhile. */
const obstaclesOf = async (records: RoomRecords, record: object) => {
  const unique = records.unique(record)
  const references = records.references?.(record) ?? []
  const isTaken = await Promise.all(unique.map((one) => one.isTaken()))
  const isMissing = await Promise.all(references.map((one) => one.isMissing()))
  const messages = unique.filter((_, index) => isTaken[index]).map(({ refusal }) => refusal)
  const details = references.filter((_, index) => isMissing[index]).map(({ refusal }) => refusal)
  return new Problem(messages.length > 0 ? 'business' : 'conflict', { messages, details })
}
