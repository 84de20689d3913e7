import { createHash } from 'node:crypto'
import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { changeLog } from '#ledger/change-log.ts'
import { type Mark, type Progress, progress, RunsElsewhere } from '#ledger/progress.ts'
import type { IsReserved, Resource, RoomRecords } from '#resources/resource.ts'
import type { Engine } from '#sql/engine.ts'
import { UsageError } from '#src/cli/exit.ts'
import { note } from '#src/cli/output.ts'
import { type ProgressBar, progressBar } from '#src/cli/progress.ts'
import { dryRun } from './dry-run.ts'
import {
  contentOf,
  type Entry,
  entriesOf,
  placeOf,
  ReadingStopped,
  type Source,
  type Where,
} from './import-source.ts'
import { type Outcome, type Refusals, reasonOf } from './refusals.ts'

interface Import {
  readonly resource: Resource
  readonly source: Source
  readonly report: Refusals
  /** The time zone that decides when a day begins, as in the service. */
  readonly timeZone: string
  readonly isReserved: IsReserved
  readonly options: { readonly dryRun?: true; readonly fromStart?: true }
}

const batchSize = 500

/** Imports into a database, resuming where an interrupted import of the file stopped. */
export const importInto = async (db: Engine, task: Import): Promise<Outcome> => {
  const { resource, source, report, options } = task
  const what = resource.plural
  const kept = resource.records(db, changeLog({ clock: systemClock, newId: risingIds(systemClock) }))
  const savedProgress = progress(db, {
    name: `import ${what} ${await contentOf(source)}`,
    source: `import ${what} ${source.path}`,
  })
  const [records, mark] = options.dryRun ? [dryRun(kept), unmarked(savedProgress)] : [kept, savedProgress]
  if (options.fromStart) await mark.ended()
  const begun = options.fromStart ? nothingDone : await resumedAt(mark, task)
  const outcome = { written: 0, refused: refusedBefore(report, begun), skipped: begun.written }
  using bar = progressBar(`import ${what}`, source.sizeBytes, 'bytes')
  try {
    for await (const { step, judged } of stepsAfter(begun.done, { task, records, bar })) {
      const inserted = await mark.step(step, () => insert(records, judged, report))
      outcome.written += inserted
      outcome.refused += judged.length - inserted
    }
  } catch (error) {
    throw stopped(error, task, begun.written + outcome.written)
  }
  report.overwrite()
  await mark.ended()
  bar.end()
  return outcome
}

const nothingDone: Mark = { name: '', done: 0, written: 0, refused: 0, consumed: '', isOutdated: false }

/** How many records were refused before the interruption. Their report may have had another name, or be gone. */
const refusedBefore = (report: Refusals, { done, refused }: Mark) => {
  const reported = report.begin(done)
  if (reported < refused)
    note(`The report lacks ${refused - reported} of the records refused before the interruption.`)
  return Math.max(reported, refused)
}

/** Where an interrupted import stopped. If what it read has changed since, nobody knows which of the records are written. */
const resumedAt = async (mark: Progress, { source, resource }: Import) => {
  const begun = (await mark.begun()) ?? nothingDone
  const place = `${unitOf(source)} ${begun.done.toLocaleString('en')}`
  if (begun.isOutdated) {
    const isIntact = (await trailUpTo(source, resource.imported, begun.done)) === begun.consumed
    if (!isIntact && begun.written === 0) return nothingDone
    if (!isIntact) throw changedSince(source, begun.written, place)
    await mark.adopt(begun)
  }
  if (begun.done > 0) note(`Resuming after ${place}, where the import was interrupted.`)
  return begun
}

const changedSince = ({ file }: Source, written: number, place: string) =>
  new UsageError(
    `${file} has changed up to ${place}, where its import was interrupted when ${written.toLocaleString('en')} of its ` +
      'records had been written: undo that change to resume, or --from-start imports it from the beginning, including those.',
  )

/** A dry run starts where the import would start, but does not move its mark. */
const unmarked = ({ begun }: Progress): Progress => ({
  begun,
  adopt: async () => undefined,
  step: (_, work) => work(),
  ended: async () => undefined,
})

interface StepParts {
  readonly task: Import
  readonly records: RoomRecords
  readonly bar: ProgressBar
}

/** What follows a place, judged, in batches. */
async function* stepsAfter(before: number, { task, records, bar }: StepParts) {
  const { source, resource } = task
  const judge = judgeOf(task, records)
  const read = trail()
  let after = before
  for await (const batch of batches(entriesOf(source, resource.imported, (bytes) => bar.advance(bytes)))) {
    batch.forEach(read.add)
    const fresh = batch.filter((entry) => placeOf(entry) > before)
    const last = fresh.at(-1)
    if (!last) continue
    const judged = await Promise.all(fresh.map(judge))
    const step = { after, done: placeOf(last), consumed: read.digest(), records: judged.length }
    yield { step, judged }
    after = step.done
  }
}

/**
 * Writes the records that can be written, and returns how many. The others are reported before the commit: a resumed
 * import drops a line that was reported too early, but a line still to be reported after the commit could be lost.
 */
const insert = async (records: RoomRecords, judged: readonly Judged[], report: Refusals) => {
  const valid = judged.flatMap(({ record }) => (record ? [record] : []))
  const isWritten = new Map((await records.insert(valid)).map((one, index) => [valid[index], one] as const))
  const refused = judged.filter(({ record }) => !isWritten.get(record))
  const reasons = await Promise.all(
    refused.map(({ record, error }) => (record ? obstaclesOf(records, record) : error)),
  )
  report.overwrite()
  for (const [index, { where }] of refused.entries()) report.add(where, reasonOf(reasons[index]))
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

/** Why an import that has written so many records ends early. */
const stopped = (error: unknown, { source, report, options }: Import, written: number) => {
  if (error instanceof RunsElsewhere) {
    report.leave()
    return new UsageError(`Another import of ${source.file} is running, and goes on. This one stops.`)
  }
  return error instanceof ReadingStopped && !options.dryRun ? error.counting(written) : error
}

const unitOf = ({ format }: Source) => (format === 'json' ? 'element' : 'line')

async function* batches(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = []
  try {
    for await (const entry of entries) {
      if (batch.push(entry) < batchSize) continue
      yield batch
      batch = []
    }
  } catch (error) {
    if (batch.length > 0) yield batch
    throw error
  }
  if (batch.length > 0) yield batch
}

/** A valid record, or why there is none. */
interface Judged {
  readonly where: Where
  readonly record?: object
  readonly error?: unknown
}

const judgeOf = ({ resource, timeZone, isReserved }: Import, records: RoomRecords) => {
  const validated = bodyReaders(systemClock, timeZone)(resource.imported)
  const newId = risingIds(systemClock)
  const passwords = passwordHasher({ queueLimit: batchSize })
  const ground = () => ({ now: systemClock.now(), newId, passwords, isReserved })
  return async (where: Entry): Promise<Judged> => {
    try {
      const body = await validated(where.parse())
      return { where, record: await records.read(body, ground()) }
    } catch (error) {
      return { where, error }
    }
  }
}

/** A hash of the records of a file so far, and of their places. */
const trail = () => {
  const hash = createHash('sha256')
  return {
    add: (entry: Entry) => void hash.update(`${placeOf(entry)} ${entry.content}\n`),
    digest: () => hash.copy().digest('base64url'),
  }
}

/** The hash of the records up to this place. */
const trailUpTo = async (source: Source, imported: JsonSchema, place: number): Promise<string> => {
  const { add, digest } = trail()
  for await (const entry of entriesOf(source, imported, () => undefined)) {
    if (placeOf(entry) <= place) add(entry)
    // What follows may be unreadable.
    if (placeOf(entry) >= place) break
  }
  return digest()
}
