import { bodyInvalid, changedMeanwhile, notFound, notOneOf, preconditionFailed } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importer } from '#resources/import-target.ts'
import type { Resource } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { checkCorrected } from './checking.ts'
import { chooseFields, requireField } from './columns.ts'
import { isSecret } from './interpreting.ts'
import { wrongState } from './messages.ts'
import { rowCounter, toImport } from './representation.ts'
import {
  mayImport,
  mayReadFile,
  nextOwner,
  refuseUnlessMayRead,
  refuseUnlessMayUndo,
  refuseUnlessSender,
  requireMayImport,
  toOwner,
} from './rights.ts'
import type { CheckContext } from './row-faults.ts'
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
import { falseIfStale, type ImportStore, type Job, removed, shownFields } from './store.ts'
import type { UploadParameters } from './storing.ts'

/** A resource into which files can be imported. */
export interface ImportableResource extends CheckContext, Pick<Resource, 'name' | 'plural' | 'labels'> {}

interface ServiceContext {
  readonly db: Database
  readonly store: ImportStore
  readonly importables: readonly ImportableResource[]
  importableOf(resource: string): ImportableResource | undefined
}

const sampleRowCount = 3

/** The operations that callers request. `work` reads, checks and applies the files in the background. */
export const importService = (context: ServiceContext) => {
  const { db, store, importables, importableOf } = context
  const countRows = rowCounter(store)
  const pluralOf = (resource: string) => importableOf(resource)?.plural ?? ''

  const find = async (importId: string, principal: Principal): Promise<Job> => {
    const job = await store.find(importId)
    if (!job || job.state === 'uploading' || !mayImport(principal, pluralOf(job.resource))) throw notFound()
    return job
  }

  /** Refuses a caller who may not read the fields that the rows may show, or these other fields. */
  const findReadable = async (importId: string, principal: Principal, others: readonly string[] = []) => {
    const job = await find(importId, principal)
    const referred = importableOf(job.resource)?.referredResource ?? (() => undefined)
    refuseUnlessMayRead({ by: job.by, fields: [...shownFields(job), ...others] }, referred, principal)
    return job
  }

  const toAnswer = async (job: Job, principal: Principal): Promise<Import> => {
    const firstRows = mayReadFile(job.by, principal) ? store.rows(job.importId, 0, sampleRowCount) : []
    const [counts, samples] = await Promise.all([countRows(job), firstRows])
    // If the import was changed during the count, the counts belong to the new version.
    const current = await store.find(job.importId)
    if (current && current.version !== job.version) return toAnswer(current, principal)
    const { fields = {}, matchFields = {} } = importableOf(job.resource)?.records ?? {}
    return toImport(job, { counts, samples, fields, matchFields })
  }

  const findExpected = async (importId: string, { principal, expectedVersion }: Caller) => {
    const job = await find(importId, principal)
    if (expectedVersion !== undefined && expectedVersion !== job.version) throw preconditionFailed()
    return job
  }

  /** Writes the next version of an import, if it is in one of the states `from`. Retries if background work wrote first. */
  const transition = async (importId: string, caller: Caller, { from, changesOf }: Transition) => {
    for (let tries = 1; ; tries++) {
      const job = await findExpected(importId, caller)
      if (!from.includes(job.state)) throw wrongState(job.state)
      const next = await store.save(job, changesOf(job)).catch(falseIfStale)
      if (next) return next
      const { expectedVersion } = caller
      if (expectedVersion !== undefined || tries === maxTries) throw changedMeanwhile(expectedVersion)
    }
  }

  /** Starts background work on behalf of this caller. Each batch checks the caller's rights again. */
  const startWork = async (importId: string, caller: Caller, { from, state }: WorkStart) => {
    const { resource, options } = await find(importId, caller.principal)
    requireMayImport(caller.principal, pluralOf(resource), options)
    const changesOf = ({ by }: Job): Partial<Job> => ({
      state,
      done: 0,
      reason: null,
      isBegun: true,
      by: { ...nextOwner(by, caller.principal), by: caller.actor.author },
    })
    return toAnswer(await transition(importId, caller, { from, changesOf }), caller.principal)
  }

  return {
    async begin(
      job: Job,
      { name = null, apply = false, ...chosenOptions }: UploadParameters,
      { principal, actor }: Importer,
    ) {
      const options = { ...job.options, ...chosenOptions } as Options
      if (!mayImport(principal, pluralOf(job.resource), options)) await store.save(job, removed)
      requireMayImport(principal, pluralOf(job.resource), options)
      const by = { ...toOwner(principal), owner: principal.name, by: actor.author, track: actor.track }
      const begun = await store.save(job, { name, options, by, appliesAtOnce: apply, state: 'reading' })
      return toAnswer(begun, principal)
    },

    async all(principal: Principal) {
      const names = importables.filter(({ plural }) => mayImport(principal, plural)).map(({ name }) => name)
      const jobs = await store.newest(names, maxListed)
      return { content: await Promise.all(jobs.map((job) => toAnswer(job, principal))), version: 1 }
    },

    findReadable,
    find: async (importId: string, principal: Principal) =>
      toAnswer(await find(importId, principal), principal),

    /** Changes columns or options. All rows are checked again. After a change of `readingOptions`, the file is read again. */
    async change(importId: string, { columns, options }: ImportChange, caller: Caller): Promise<Import> {
      const job = await findExpected(importId, caller)
      // If a column with passwords were mapped to another field, the rows would show the passwords.
      refuseUnlessSender(job.by, caller.principal)
      requireMayImport(caller.principal, pluralOf(job.resource), options)
      const importable = importableOf(job.resource)
      if (!importable) throw notFound()
      const { matchFields, passwordRows } = importable.records
      const matchFieldNames = Object.keys(matchFields)
      if (options.match !== null && !matchFieldNames.includes(options.match))
        throw bodyInvalid([notOneOf('options.match', matchFieldNames)])
      if (options.passwords !== job.options.passwords && !passwordRows)
        throw bodyInvalid([notOneOf('options.passwords', ['refuse'])])
      const chosen = chooseFields(job.columns, columns, importable.mappable)
      // Until the file is read again its columns are unknown, so fields cannot be chosen for them.
      if (job.stage !== 'judge' && columns.length > job.columns.length) throw wrongState(job.state)
      const isFileReadAgain = readingOptions.some((name) => options[name] !== job.options[name])
      if (isFileReadAgain && job.isBegun) throw wrongState('applied')
      const changesOf = ({ stage, round, ...current }: Job): Partial<Job> => {
        const otherFields = shownFields(current)
        const common = { options, state: 'reading', reason: null, round: round + 1, otherFields } as const
        if (isFileReadAgain) return { ...common, columns: [], stage: 'clear', done: 0 }
        return stage === 'judge' ? { ...common, columns: chosen, done: 0 } : common
      }
      const from = isFileReadAgain ? [...editable, 'failed' as const] : editable
      return toAnswer(await transition(importId, caller, { from, changesOf }), caller.principal)
    },

    /** Checks one row with corrected values, and returns the row with the result. */
    async correct(
      importId: string,
      line: string,
      { values }: Correction,
      caller: Caller,
    ): Promise<ImportRow> {
      const changed = values.map(({ field }) => field)
      const job = await findReadable(importId, caller.principal, changed)
      const importable = importableOf(job.resource)
      if (!importable) throw notFound()
      if (!correctable.includes(job.state) || job.stage !== 'judge') throw wrongState(job.state)
      for (const field of changed) requireField(importable.mappable, field, 'values.field')
      const row = await store.row(importId, line)
      if (row.appliedVersion !== null) throw wrongState('applied')
      const write = await checkCorrected(importable, job, { row, values })
      const checked = await db.write(write).catch(falseIfStale)
      if (!checked) throw changedMeanwhile(caller.expectedVersion)
      return toImportRow(checked)
    },

    async row(importId: string, line: string, principal: Principal): Promise<ImportRow> {
      await findReadable(importId, principal)
      return toImportRow(await store.row(importId, line))
    },

    async replaceAll(importId: string, { field, from, to }: Replacement, caller: Caller): Promise<Import> {
      await findReadable(importId, caller.principal, [field])
      const job = await findExpected(importId, caller)
      // Replacements are stored unencrypted, so secrets are excluded.
      const { fields = {} } = importableOf(job.resource)?.records ?? {}
      const replaceable = Object.keys(fields).filter((one) => !isSecret(fields, one))
      if (!replaceable.includes(field)) throw bodyInvalid([notOneOf('field', replaceable)])
      const changesOf = ({ replaced, round, stage, done }: Job): Partial<Job> => ({
        replaced: [...replaced, { field, from, to }],
        round: round + 1,
        state: 'reading',
        done: stage === 'judge' ? 0 : done,
      })
      return toAnswer(await transition(importId, caller, { from: correctable, changesOf }), caller.principal)
    },

    apply: (importId: string, caller: Caller) =>
      startWork(importId, caller, { from: ['ready', 'stopped'], state: 'applying' }),

    stop: async (importId: string, caller: Caller) =>
      toAnswer(await transition(importId, caller, stopping), caller.principal),

    async undo(importId: string, caller: Caller): Promise<Import> {
      const { by, resource } = await find(importId, caller.principal)
      refuseUnlessMayUndo(by, caller.principal, pluralOf(resource))
      return startWork(importId, caller, { from: ['ready', 'stopped', 'done'], state: 'undoing' })
    },

    async remove(importId: string, caller: Caller): Promise<undefined> {
      const from = states.filter((state) => state !== 'applying' && state !== 'undoing')
      await transition(importId, caller, { from, changesOf: () => removed })
    },

    rows: store.list,
  }
}

export type ImportService = ReturnType<typeof importService>

type Caller = Importer & { readonly expectedVersion: number | undefined }

interface Transition {
  readonly from: readonly Job['state'][]
  changesOf(job: Job): Partial<Job>
}

const stopping: Transition = { from: ['applying'], changesOf: () => ({ state: 'stopped' }) }

type WorkStart = Pick<Transition, 'from'> & { readonly state: 'applying' | 'undoing' }

/** The attempts of `transition`, because background work may change the import first. */
const maxTries = 10
const maxListed = 100

/** The states in which columns and options can be changed. */
const editable: readonly Job['state'][] = ['reading', 'ready', 'stopped']

/** The states in which rows can be corrected. Rows that a finished import refused can be applied afterwards. */
const correctable: readonly Job['state'][] = [...editable, 'done']

/** Options that change how the file is read. */
const readingOptions = ['header', 'encoding', 'sheet'] as const
