import { bodyInvalid, changedMeanwhile, notFound, notOneOf, preconditionFailed } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importer } from '#resources/import-target.ts'
import type { Resource } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { chooseFields, requireField } from './columns.ts'
import { isSecret } from './interpreting.ts'
import { judgeCorrected } from './judging.ts'
import { importIs } from './messages.ts'
import { rowCounter, toImport } from './representation.ts'
import {
  callerOf,
  mayImport,
  refuseUnlessMayRead,
  refuseUnlessMayUndo,
  refuseUnlessSender,
  requireMayDelete,
} from './rights.ts'
import type { JudgeParts } from './row-faults.ts'
import { toImportRow } from './rows.ts'
import {
  type Correction,
  type Import,
  type ImportChange,
  type ImportRow,
  type Options,
  type Replacement,
  states,
} from './schema.ts'
import { type ImportStore, type Job, removed, unlessStale } from './store.ts'
import type { UploadParameters } from './storing.ts'

/** A resource into which files can be imported. */
export interface Imported extends JudgeParts, Pick<Resource, 'name' | 'plural' | 'labels'> {}

interface ServiceParts {
  readonly db: Database
  readonly store: ImportStore
  readonly imported: readonly Imported[]
  partsOf(resource: string): Imported | undefined
}

const samplesShown = 3

/** The operations of callers. Files are read, judged and applied in the background (`work`). */
export const importService = (parts: ServiceParts) => {
  const { db, store, imported, partsOf } = parts
  const countRows = rowCounter(store)
  const pluralOf = (resource: string) => partsOf(resource)?.plural ?? ''

  const find = async (importId: string, principal: Principal): Promise<Job> => {
    const job = await store.find(importId)
    if (!job || job.state === 'uploading' || !mayImport(principal, pluralOf(job.resource))) throw notFound()
    return job
  }

  /** Finds an import whose rows the caller may read, in its columns and in further fields. */
  const permitted = async (importId: string, principal: Principal, further: readonly string[] = []) => {
    const job = await find(importId, principal)
    const fields = [...job.columns.flatMap(({ field }) => field ?? []), ...further]
    const referred = partsOf(job.resource)?.referred ?? (() => undefined)
    refuseUnlessMayRead({ by: job.by, fields }, referred, principal)
    return job
  }

  const represent = async (job: Job): Promise<Import> => {
    const firstRows = store.rows(job.importId, 0, { limit: samplesShown })
    const [counts, samples] = await Promise.all([countRows(job), firstRows])
    // A correction during the count would show its counts with the version before it.
    const current = await store.find(job.importId)
    if (current && current.version !== job.version) return represent(current)
    const { fields = {}, matchFields = {} } = partsOf(job.resource)?.records ?? {}
    return toImport(job, { counts, samples, fields, matchFields })
  }

  const findExpected = async (importId: string, { principal, expected }: Caller) => {
    const job = await find(importId, principal)
    if (expected !== undefined && expected !== job.version) throw preconditionFailed()
    return job
  }

  /** Writes the next version of an import, if it is in one of the states `from`. Retries if background work wrote first. */
  const decide = async (importId: string, caller: Caller, { from, to }: Transition): Promise<Job> => {
    for (let tries = 1; ; tries++) {
      const job = await findExpected(importId, caller)
      if (!from.includes(job.state)) throw importIs(job.state)
      const next = await store.decide(job, to(job)).catch(unlessStale)
      if (next) return next
      if (caller.expected !== undefined || tries === maxTries) throw changedMeanwhile(caller.expected)
    }
  }

  /** Starts background work on behalf of this caller. Each batch checks the caller's right again. */
  const startWork = async (importId: string, caller: Caller, { from, state }: WorkStart) => {
    const { resource, options } = await find(importId, caller.principal)
    requireMayDelete(caller.principal, pluralOf(resource), options)
    const to = ({ by }: Job): Partial<Job> => ({
      ...{ state, done: 0, reason: null, isBegun: true },
      by: { owner: by.name, ...by, ...callerOf(caller.principal), by: caller.actor.by },
    })
    return represent(await decide(importId, caller, { from, to }))
  }

  return {
    async begin(
      job: Job,
      { name = null, apply = false, ...chosen }: UploadParameters,
      { principal, actor }: Importer,
    ) {
      const options = { ...job.options, ...chosen } as Options
      if (!mayImport(principal, pluralOf(job.resource), options)) await store.decide(job, removed)
      requireMayDelete(principal, pluralOf(job.resource), options)
      const by = { ...callerOf(principal), owner: principal.name, by: actor.by, track: actor.track }
      return represent(await store.decide(job, { name, options, by, appliesAtOnce: apply, state: 'reading' }))
    },

    async all(principal: Principal) {
      const permitted = imported.filter(({ plural }) => mayImport(principal, plural)).map(({ name }) => name)
      const jobs = await store.newest(permitted, maxListed)
      return { content: await Promise.all(jobs.map(represent)), version: 1 }
    },

    permitted,
    find: async (importId: string, principal: Principal) => represent(await find(importId, principal)),

    /** Changes columns or options. All rows are judged again. Some options also require reading the file again. */
    async change(importId: string, { columns, options }: ImportChange, caller: Caller): Promise<Import> {
      const job = await findExpected(importId, caller)
      // Mapping another column could show the passwords in the file.
      refuseUnlessSender(job.by, caller.principal)
      requireMayDelete(caller.principal, pluralOf(job.resource), options)
      const judging = partsOf(job.resource)
      if (!judging) throw notFound()
      const { matchFields, passwordRows } = judging.records
      const known = Object.keys(matchFields)
      if (options.match !== null && !known.includes(options.match))
        throw bodyInvalid([notOneOf('options.match', known)])
      if (options.passwords !== job.options.passwords && !passwordRows)
        throw bodyInvalid([notOneOf('options.passwords', ['refuse'])])
      const chosen = chooseFields(job.columns, columns, judging.mappable)
      // The columns are unknown until the file is read again, so a choice among the earlier columns cannot be kept.
      if (job.stage !== 'judge' && columns.length > job.columns.length) throw importIs(job.state)
      const isReadAnew = readingOptions.some((name) => options[name] !== job.options[name])
      if (isReadAnew && job.isBegun) throw importIs('applied')
      const to = ({ stage, round }: Job): Partial<Job> => {
        const common = { options, state: 'reading', reason: null, round: round + 1 } as const
        if (isReadAnew) return { ...common, columns: [], stage: 'clear', done: 0 }
        return stage === 'judge' ? { ...common, columns: chosen, done: 0 } : common
      }
      const from = isReadAnew ? [...editable, 'failed' as const] : editable
      return represent(await decide(importId, caller, { from, to }))
    },

    /** Judges one row with corrected values, before it answers. */
    async correct(
      importId: string,
      line: string,
      { values }: Correction,
      caller: Caller,
    ): Promise<ImportRow> {
      const changed = values.map(({ field }) => field)
      const job = await permitted(importId, caller.principal, changed)
      const judging = partsOf(job.resource)
      if (!judging) throw notFound()
      if (!correctable.includes(job.state) || job.stage !== 'judge') throw importIs(job.state)
      for (const field of changed) requireField(judging.mappable, field, 'values.field')
      const row = await store.row(importId, line)
      if (row.applied !== null) throw importIs('applied')
      const judged = await db.write(await judgeCorrected(judging, job, { row, values })).catch(unlessStale)
      if (!judged) throw changedMeanwhile(caller.expected)
      return toImportRow(judged)
    },

    async row(importId: string, line: string, principal: Principal): Promise<ImportRow> {
      await permitted(importId, principal)
      return toImportRow(await store.row(importId, line))
    },

    async replaceAll(
      importId: string,
      { field, from, to: other }: Replacement,
      caller: Caller,
    ): Promise<Import> {
      await permitted(importId, caller.principal, [field])
      const job = await findExpected(importId, caller)
      // Replacements are stored unencrypted, so secrets are excluded.
      const { fields = {} } = partsOf(job.resource)?.records ?? {}
      const replaceable = Object.keys(fields).filter((one) => !isSecret(fields, one))
      if (!replaceable.includes(field)) throw bodyInvalid([notOneOf('field', replaceable)])
      const to = ({ replaced, round, stage, done }: Job): Partial<Job> => ({
        ...{ replaced: [...replaced, { field, from, to: other }], round: round + 1 },
        ...{ state: 'reading', done: stage === 'judge' ? 0 : done },
      })
      return represent(await decide(importId, caller, { from: correctable, to }))
    },

    apply: (importId: string, caller: Caller) =>
      startWork(importId, caller, { from: ['ready', 'stopped'], state: 'applying' }),

    stop: async (importId: string, caller: Caller) =>
      represent(await decide(importId, caller, { from: ['applying'], to: () => ({ state: 'stopped' }) })),

    async undo(importId: string, caller: Caller): Promise<Import> {
      const { by, resource } = await find(importId, caller.principal)
      refuseUnlessMayUndo(by, caller.principal, pluralOf(resource))
      return startWork(importId, caller, { from: ['ready', 'stopped', 'done'], state: 'undoing' })
    },

    async remove(importId: string, caller: Caller): Promise<undefined> {
      const from = states.filter((state) => state !== 'applying' && state !== 'undoing')
      await decide(importId, caller, { from, to: () => removed })
    },

    rows: store.list,
  }
}

export type ImportService = ReturnType<typeof importService>

type Caller = Importer & { readonly expected: number | undefined }

interface Transition {
  readonly from: readonly Job['state'][]
  to(job: Job): Partial<Job>
}

type WorkStart = Pick<Transition, 'from'> & { readonly state: 'applying' | 'undoing' }

/** How often `decide` tries, because background work may change the import first. */
const maxTries = 10
const maxListed = 100

/** The states in which columns and options can be changed. */
const editable: readonly Job['state'][] = ['reading', 'ready', 'stopped']

/** The states in which rows can be corrected. Rows that a finished import refused can be applied afterwards. */
const correctable: readonly Job['state'][] = [...editable, 'done']

/** Options that change how the file is read. */
const readingOptions = ['header', 'encoding', 'sheet'] as const
