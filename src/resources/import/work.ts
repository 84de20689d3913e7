import { isDeepStrictEqual } from 'node:util'
import { Problem } from '#core/problem.ts'
import { endOfTurn } from '#core/turn.ts'
import type { Principal } from '#http/api/guard.ts'
import { actingAs } from '#ledger/change-log.ts'
import type { lease } from '#ledger/lease.ts'
import type { Importing } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { FileFault, fileReader } from './file.ts'
import { type JudgeParts, judgeAgain, judgeRows, refuseAll, refusing } from './judging.ts'
import {
  type Actor,
  advance,
  type Column,
  type Fault,
  type ImportStore,
  insertRow,
  type Job,
  Moved,
  type Staged,
  updateRow,
} from './store.ts'

interface WorkParts {
  readonly db: Database
  readonly store: ImportStore
  readonly lease: ReturnType<typeof lease>
  /** How long the lease is held without being renewed. */
  readonly renewMs: number
  partsOf(resource: string): JudgeParts | undefined
  /** The caller, if it may still do this. */
  standing(by: Actor, resource: string): Promise<Principal | undefined>
  columnsOf(importing: Importing, headings: readonly string[], samples: readonly Staged[]): readonly Column[]
}

/** Rows of one transaction: few enough that no other write waits long. */
const readAtOnce = 100
const judgedAtOnce = 50
const appliedAtOnce = 20

/** Brings all imports further, batch by batch, on one instance. What a batch does and how far it has come is one transaction. */
export const importWork = (parts: WorkParts) => {
  const { db, store, partsOf } = parts
  const readers = new Map<string, ReturnType<typeof fileReader>>()

  const decide = (job: Job, change: Partial<Job>) =>
    store.replace({ ...job, ...change, version: job.version + 1 })

  const steps = {
    async clear(job: Job) {
      if ((await store.forgetRows(job.importId)) === 0) await decide(job, { stage: 'read', done: 0 })
    },

    async read(job: Job, judging: JudgeParts) {
      const id = `${job.importId} ${job.version}`
      const reader = readers.get(id) ?? fileReader(store.pieces(job.importId), job.options)
      readers.set(id, reader)
      const rows = await reader.next(job.done, readAtOnce).catch(orFault)
      if (rows instanceof FileFault) return decide(job, { state: 'failed', reason: rows.message })
      const last = rows.at(-1)
      if (last)
        return db.write(async (tx) => {
          await advance(tx, job, last.line)
          for (const { line, cells } of rows) await insertRow(tx, job.importId, line, { cells })
        })
      const samples = await store.rows(job.importId, 0, { limit: judgedAtOnce })
      const columns = parts.columnsOf(judging.importing, reader.headings(), samples)
      await decide(job, { stage: 'judge', done: 0, columns })
    },

    async judge(job: Job, judging: JudgeParts) {
      const rows = await store.rows(job.importId, job.done, { limit: judgedAtOnce })
      const last = rows.at(-1)
      if (!last) return decide(job, { state: 'ready', done: 0, open: openOf(job, judging.importing) })
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

    async apply(job: Job, judging: JudgeParts) {
      const where = raw(`AND outcome IN ('new', 'changed') AND applied IS NULL`)
      const rows = await store.rows(job.importId, job.done, { limit: appliedAtOnce, where })
      if (rows.length === 0) {
        const left = await store.rows(job.importId, 0, { limit: 1, where })
        return decide(job, { state: left.length > 0 ? 'ready' : 'done', done: 0 })
      }
      const prepared = new Map(await Promise.all(rows.map((row) => preparedFor(judging.importing, row))))
      await asActor(job, rows, (row, principal) => applied({ job, judging, principal, prepared }, row))
    },

    async undo(job: Job, judging: JudgeParts) {
      const rows = await store.rows(job.importId, job.done, {
        limit: appliedAtOnce,
        where: raw('AND applied IS NOT NULL'),
      })
      if (rows.length === 0) return decide(job, { state: 'undone', done: 0 })
      await asActor(job, rows, (row, principal) =>
        undone({ job, judging, principal, prepared: new Map() }, row),
      )
    },
  }

  /** Does something with each row, and notes what became of it, all in one transaction, in the name of who asked for it. */
  const asActor = (
    job: Job,
    rows: readonly Staged[],
    work: (row: Staged, principal: Principal) => Promise<Staged>,
  ) =>
    actingAs(job.by, () =>
      db.unit(async (unit) => {
        unit.before((tx) => advance(tx, job, rows.at(-1)?.line ?? 0))
        const principal = await parts.standing(job.by, job.resource)
        if (!principal) throw new Withdrawn()
        for (const row of rows) {
          const next = await work(row, principal)
          await db.write((tx) => updateRow(tx, job.importId, next))
          await endOfTurn()
        }
      }),
    )

  /** Writes a row. One whose record was changed meanwhile is judged anew, and written if the same is to be done. */
  const applied = async (at: At, row: Staged, isRetry = false): Promise<Staged> => {
    try {
      return await db.unit(() => write(at, row))
    } catch (error) {
      if (!isRefusal(error)) throw error
      const rejudge = await judgeAgain(at.judging, at.job, row)
      const judged = await db.write(rejudge)
      if (!isDeepStrictEqual(whatOf(judged), whatOf(row))) return judged
      if (judged.judged?.version !== row.judged?.version && !isRetry) return applied(at, judged, true)
      return refused(at, judged, error)
    }
  }

  const undone = async (at: At, row: Staged): Promise<Staged> => {
    try {
      await db.unit(() => takeBack(at, row))
      return { ...row, applied: null }
    } catch (error) {
      if (!isRefusal(error)) throw error
      const isChange = error.kind === 'preconditionFailed' || error.kind === 'notFound'
      return refused(at, row, isChange ? changedSince : error)
    }
  }

  return {
    /** Works until nothing waits. */
    async work(isStopped: () => boolean) {
      let heldAtMs = Number.NEGATIVE_INFINITY
      while (!isStopped()) {
        if (performance.now() - heldAtMs > parts.renewMs) {
          if (!(await parts.lease.hold())) return
          heldAtMs = performance.now()
        }
        const jobs = await store.active()
        if (jobs.length === 0) return readers.clear()
        let failure: unknown
        for (const job of jobs) {
          const judging = partsOf(job.resource)
          if (!judging) continue
          const stage = job.state === 'applying' ? 'apply' : job.state === 'undoing' ? 'undo' : job.stage
          try {
            await steps[stage](job, judging)
          } catch (error) {
            if (error instanceof Withdrawn)
              await decide(job, { state: 'stopped', reason: withdrawn }).catch(ignoreMoved)
            else if (!(error instanceof Moved)) failure = error
          }
          await endOfTurn()
        }
        if (failure !== undefined) throw failure
      }
    },

    release: () => parts.lease.release(),
  }
}

/** Why an import stops whose caller may not go on with it. */
class Withdrawn extends Error {}
const withdrawn = 'Who asked for this may do it no more.'

const ignoreMoved = (error: unknown) => {
  if (!(error instanceof Moved)) throw error
}

/** What one row is applied with. */
interface At {
  readonly job: Job
  readonly judging: JudgeParts
  readonly principal: Principal
  readonly prepared: ReadonlyMap<number, Prepared>
}

type Prepared = { readonly made: unknown } | { readonly refused: Problem }

const preparedFor = async (importing: Importing, { line, judged }: Staged): Promise<[number, Prepared]> => {
  try {
    return [line, { made: await importing.prepare?.({ ...judged?.values, ...judged?.secret }) }]
  } catch (error) {
    if (!isRefusal(error)) throw error
    return [line, { refused: error }]
  }
}

/** Writes a row through the service of its resource. Its cells and its secrets are needed no more. */
const write = async ({ judging: { importing }, principal, prepared }: At, row: Staged): Promise<Staged> => {
  const { values = {}, version } = row.judged ?? {}
  const done = { ...row, cells: { cells: [] }, judged: row.judged && { ...row.judged, secret: undefined } }
  if (row.recordId !== null && version !== undefined) {
    const { version: applied } = await importing.update(row.recordId, values, {
      principal,
      expected: version,
    })
    return { ...done, applied }
  }
  const ready = prepared.get(row.line)
  if (ready && 'refused' in ready) throw ready.refused
  const record = await importing.create(values, { principal, prepared: ready?.made })
  const recordId = String((record as object as Readonly<Record<string, unknown>>)[importing.id])
  return { ...done, recordId, applied: record.version }
}

const takeBack = async ({ judging: { importing }, principal }: At, { recordId, judged, applied }: Staged) => {
  if (recordId === null || applied === null) return
  const asked = { principal, expected: applied }
  await (judged?.before
    ? importing.update(recordId, judged.before, asked)
    : importing.remove(recordId, asked))
}

const refused = ({ job, judging }: At, row: Staged, error: unknown): Staged => {
  const faults: Fault[] = []
  const said = row.judged?.values ?? {}
  refuseAll(error, refusing(judging, job, { said, faults }))
  const outcome = row.applied === null ? 'refused' : row.outcome
  return { ...row, outcome, judged: { values: {}, ...row.judged, faults } }
}

const changedSince = new Problem('business', { messages: [{ code: 'ChangedSince' }] })

/** What is to be done with a row, whatever the version of its record. */
const whatOf = ({ outcome, recordId, judged }: Staged) => [outcome, recordId, judged?.values, judged?.before]

/** Whether the record, and not the database or the service, is why something failed. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && !['system', 'storageUnavailable', 'overloaded'].includes(error.kind)

const orFault = (error: unknown) => {
  if (error instanceof FileFault) return error
  throw error
}

/** What somebody should choose before the import is applied. */
const openOf = ({ columns, options }: Job, { fields }: Importing) => {
  const isMapped = (name: string) => columns.some(({ field }) => field === name)
  const needsPassword = 'credential.password' in fields && options.passwords === 'refuse'
  return [
    ...(columns.some(({ field }) => field !== null) ? [] : ['columns']),
    ...(needsPassword && !isMapped('credential.password') ? ['passwords'] : []),
  ]
}
