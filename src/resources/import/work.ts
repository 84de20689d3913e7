import { endOfTurn } from '#core/event-loop.ts'
import type { lease } from '#ledger/lease.ts'
import { type ApplyContext, applyRows, RightWithdrawn, undoRows } from './applying.ts'
import { checkRows } from './checking.ts'
import { findHeaderRow, type MappableFields, mapColumns } from './columns.ts'
import { fileReader } from './file.ts'
import { FileRefused } from './files/refused.ts'
import { passwordField, roleField } from './interpreting.ts'
import type { CheckContext } from './row-faults.ts'
import { dropEarlierClaims, type StagedRow } from './rows.ts'
import { type Column, falseIfStale, type Job, Stale, saveProgress } from './store.ts'

interface WorkContext extends ApplyContext {
  readonly lease: ReturnType<typeof lease>
  importableOf(resource: string): CheckContext | undefined
}

/** Few rows are written in one transaction, so that no other write waits long. */
const rowsReadPerTransaction = 50
const rowsCheckedPerTransaction = 20

/** Processes all imports on one instance, in batches. Each batch and its progress are stored in one transaction. */
export const importWork = (context: WorkContext) => {
  const { db, store, importableOf } = context
  const { save } = store
  const readers = new Map<string, ReturnType<typeof fileReader>>()

  const readerOf = ({ importId, options }: Job, { mappable }: CheckContext) =>
    fileReader({ pieces: store.pieces(importId), options, headerOf: (rows) => findHeaderRow(rows, mappable) })

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
      if ((await store.deleteRows(job.importId)) === 0) await save(job, { stage: 'read', done: 0 })
    },

    async read(job: Job, importable: CheckContext) {
      const id = `${job.importId} ${job.version}`
      const reader = readers.get(id) ?? readerOf(job, importable)
      readers.set(id, reader)
      const rows = await reader.next(job.done, rowsReadPerTransaction).catch(asValueIfRefused)
      if (rows instanceof FileRefused)
        return save(job, {
          state: 'failed',
          reason: rows.sentence(job.options.locale),
          sheets: reader.sheets(),
        })
      const last = rows.at(-1)
      if (last)
        return db.write(async (tx) => {
          await saveProgress(tx, job, last.line)
          await Promise.all(rows.map((row) => store.insertRow(tx, job.importId, row)))
        })
      const samples = await store.rows(job.importId, 0, rowsCheckedPerTransaction)
      const isImported = ({ field }: Column) => field !== roleField || job.options.existing === 'change'
      const allColumns = columnsOf(reader, samples, importable.mappable)
      const columns = allColumns.map((one) => (isImported(one) ? one : { ...one, field: null }))
      await save(job, { stage: 'judge', done: 0, columns, sheets: reader.sheets() })
    },

    async judge(job: Job, importable: CheckContext) {
      const rows = await store.rows(job.importId, job.done, rowsCheckedPerTransaction)
      const last = rows.at(-1)
      if (!last) return save(job, afterCheck(job, await openQuestions(job)))
      const unapplied = rows.filter(({ appliedVersion }) => appliedVersion === null)
      const write = await checkRows(importable, job, unapplied)
      await db.write(async (tx) => {
        await saveProgress(tx, job, last.line)
        if (job.round > 1) await dropEarlierClaims(tx, job, last.line)
        await write(tx)
      })
    },

    apply: (job: Job, importable: CheckContext) => applyRows(context, job, importable),
    undo: (job: Job, importable: CheckContext) => undoRows(context, job, importable),
  }

  let isLeaseHeld = false

  return {
    /** Works until no import has pending work. Without pending work, writes nothing, not even a lease. */
    async work(isStopped: () => boolean) {
      let heldAtMs = Number.NEGATIVE_INFINITY
      while (!isStopped()) {
        // Skips imports into a resource that is no longer declared.
        const jobs = (await store.active()).filter(({ resource }) => importableOf(resource))
        if (jobs.length === 0) return readers.clear()
        if (performance.now() - heldAtMs > context.lease.renewMs) {
          isLeaseHeld = await context.lease.acquire()
          if (!isLeaseHeld) return
          heldAtMs = performance.now()
        }
        let failure: unknown
        for (const job of jobs) {
          const importable = importableOf(job.resource)
          if (!importable) continue
          const stage = job.state === 'applying' ? 'apply' : job.state === 'undoing' ? 'undo' : job.stage
          try {
            await steps[stage](job, importable)
          } catch (error) {
            // The readers are ahead of the stored rows, so they are dropped and opened again later.
            readers.clear()
            if (error instanceof RightWithdrawn)
              await save(job, { state: 'stopped', reason: rightWithdrawnText }).catch(falseIfStale)
            else if (!(error instanceof Stale)) failure = error
          }
          await endOfTurn()
        }
        if (failure !== undefined) throw failure
      }
    },

    /** Releases the lease, so that another instance can continue at once. */
    async release() {
      if (isLeaseHeld) await context.lease.release()
    },
  }
}

/** The changes to an import after all its rows have been checked. */
const afterCheck = ({ appliesAtOnce = false }: Job, open: readonly string[]): Partial<Job> =>
  appliesAtOnce && open.length === 0
    ? { state: 'applying', done: 0, open, isBegun: true, appliesAtOnce: false }
    : { state: 'ready', done: 0, open, appliesAtOnce: false }

/** Part of the JSON of a fault: a new member has no password. */
const missingPassword = `"field":"${passwordField}","code":"NotNull"`

const rightWithdrawnText = 'The user who started this may no longer import.'

const asValueIfRefused = (error: unknown) => {
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
  const sampleRows = samples.flatMap(({ cells: { cells } }) =>
    Array.isArray(cells) ? [cells.map((cell) => cell ?? undefined)] : [],
  )
  const mapping = mapColumns(headings, sampleRows, mappable)
  return headings.map(
    (heading, at): Column => ({ heading, field: mapping[at] ?? null, dates: reader.dateOrderOfColumn(at) }),
  )
}
