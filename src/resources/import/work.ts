import { endOfTurn } from '#core/event-loop.ts'
import type { lease } from '#ledger/lease.ts'
import { type ApplyParts, applyRows, RightWithdrawn, undoRows } from './applying.ts'
import { headerRow, type MappableFields, mapColumns } from './columns.ts'
import { fileReader } from './file.ts'
import { FileRefused } from './files/refused.ts'
import { passwordField, roleField } from './interpreting.ts'
import { judgeRows } from './judging.ts'
import type { JudgeParts } from './row-faults.ts'
import type { StagedRow } from './rows.ts'
import { advance, type Column, type Job, Stale, unlessStale } from './store.ts'

interface WorkParts extends ApplyParts {
  readonly lease: ReturnType<typeof lease>
  partsOf(resource: string): JudgeParts | undefined
}

/** Rows of one transaction: few enough that no other write waits long. */
const readAtOnce = 50
const judgedAtOnce = 20

/** Works on all imports, batch by batch, on one instance. Each batch and its progress are one transaction. */
export const importWork = (parts: WorkParts) => {
  const { db, store, partsOf } = parts
  const { decide } = store
  const readers = new Map<string, ReturnType<typeof fileReader>>()

  const readerOf = ({ importId, options }: Job, { mappable }: JudgeParts) =>
    fileReader({ pieces: store.pieces(importId), options, headerOf: (rows) => headerRow(rows, mappable) })

  /** The questions that the user must answer. */
  const openQuestions = async ({ importId, columns }: Job) => {
    const isMapped = (name: string) => columns.some(({ field }) => field === name)
    return [
      ...(columns.some(({ field }) => field !== null) ? [] : ['columns']),
      ...((await store.hasFault(importId, '"code":"OpenDate"')) ? ['dates'] : []),
      ...(!isMapped(passwordField) && (await store.hasFault(importId, missingPassword)) ? ['passwords'] : []),
    ]
  }

  const steps = {
    async clear(job: Job) {
      if ((await store.deleteRows(job.importId)) === 0) await decide(job, { stage: 'read', done: 0 })
    },

    async read(job: Job, judging: JudgeParts) {
      const id = `${job.importId} ${job.version}`
      const reader = readers.get(id) ?? readerOf(job, judging)
      readers.set(id, reader)
      const rows = await reader.next(job.done, readAtOnce).catch(returnRefusal)
      if (rows instanceof FileRefused)
        return decide(job, {
          ...{ state: 'failed', reason: rows.sentence(job.options.locale), sheets: reader.sheets() },
        })
      const last = rows.at(-1)
      if (last)
        return db.write(async (tx) => {
          await advance(tx, job, last.line)
          await Promise.all(rows.map((row) => store.insertRow(tx, job.importId, row)))
        })
      const samples = await store.rows(job.importId, 0, { limit: judgedAtOnce })
      const isRead = ({ field }: Column) => field !== roleField || job.options.existing === 'change'
      const found = columnsOf(reader, samples, judging.mappable)
      const columns = found.map((one) => (isRead(one) ? one : { ...one, field: null }))
      await decide(job, { stage: 'judge', done: 0, columns, sheets: reader.sheets() })
    },

    async judge(job: Job, judging: JudgeParts) {
      const rows = await store.rows(job.importId, job.done, { limit: judgedAtOnce })
      const last = rows.at(-1)
      if (!last) return decide(job, judgedJob(job, await openQuestions(job)))
      const write = await judgeRows(
        judging,
        job,
        rows.filter(({ applied }) => applied === null),
      )
      await db.write(async (tx) => {
        await advance(tx, job, last.line)
        await write(tx)
      })
    },

    apply: (job: Job, judging: JudgeParts) => applyRows(parts, job, judging),
    undo: (job: Job, judging: JudgeParts) => undoRows(parts, job, judging),
  }

  let isHeld = false

  return {
    /** Works until no import has pending work. Without pending work it writes nothing, not even a lease. */
    async work(isStopped: () => boolean) {
      let heldAtMs = Number.NEGATIVE_INFINITY
      while (!isStopped()) {
        // Skips imports into a resource that is no longer declared.
        const jobs = (await store.active()).filter(({ resource }) => partsOf(resource))
        if (jobs.length === 0) return readers.clear()
        if (performance.now() - heldAtMs > parts.lease.renewMs) {
          isHeld = await parts.lease.acquire()
          if (!isHeld) return
          heldAtMs = performance.now()
        }
        let failure: unknown
        for (const job of jobs) {
          const judging = partsOf(job.resource)
          if (!judging) continue
          const stage = job.state === 'applying' ? 'apply' : job.state === 'undoing' ? 'undo' : job.stage
          try {
            await steps[stage](job, judging)
          } catch (error) {
            // The readers are ahead of the stored rows, so they are opened again.
            readers.clear()
            if (error instanceof RightWithdrawn)
              await decide(job, { state: 'stopped', reason: rightWithdrawnText }).catch(unlessStale)
            else if (!(error instanceof Stale)) failure = error
          }
          await endOfTurn()
        }
        if (failure !== undefined) throw failure
      }
    },

    /** Lets another instance continue at once. */
    async release() {
      if (isHeld) await parts.lease.release()
    },
  }
}

/** The import once all its rows are judged. */
const judgedJob = ({ appliesAtOnce = false }: Job, open: readonly string[]): Partial<Job> =>
  appliesAtOnce && open.length === 0
    ? { state: 'applying', done: 0, open, isBegun: true, appliesAtOnce: false }
    : { state: 'ready', done: 0, open, appliesAtOnce: false }

/** Part of the JSON of the fault that a new member without a password has. */
const missingPassword = `"field":"${passwordField}","code":"NotNull"`

const rightWithdrawnText = 'The user who started this may no longer import.'

const returnRefusal = (error: unknown) => {
  if (error instanceof FileRefused) return error
  throw error
}

/** Guesses the field of each column from its heading and first values. */
const columnsOf = (
  reader: ReturnType<typeof fileReader>,
  samples: readonly StagedRow[],
  mappable: MappableFields,
) => {
  const headings = reader.headings()
  const tables = samples.flatMap(({ cells: { cells } }) =>
    Array.isArray(cells) ? [cells.map((cell) => cell ?? undefined)] : [],
  )
  const mapping = mapColumns(headings, tables, mappable)
  return headings.map(
    (heading, at): Column => ({ heading, field: mapping[at] ?? null, dates: reader.datesOf(at) }),
  )
}
