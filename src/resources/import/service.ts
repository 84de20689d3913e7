import { bodyInvalid, changedMeanwhile, notFound, notOneOf, preconditionFailed } from '#core/problem.ts'
import type { Actor } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importing } from '#resources/importing.ts'
import type { Database } from '#sql/database.ts'
import type { KnownColumns } from './columns.ts'
import { nameOrders } from './full-name.ts'
import { isJoined, isSecret } from './interpreting.ts'
import { judgeCorrected } from './judging.ts'
import { importIs } from './messages.ts'
import type { JudgeParts } from './refusals.ts'
import { mayImport, refuseUnlessMayUndo, refuseUnlessSender } from './rights.ts'
import { type Staged, shownRow } from './rows.ts'
import {
  type Correction,
  type Import,
  type ImportChange,
  type ImportRow,
  type Options,
  type Replacement,
  states,
} from './schema.ts'
import { counting, shownImport } from './shown.ts'
import { type Column, type ImportStore, type Job, unlessOutrun } from './store.ts'

/** A resource whose records may come from files. */
export interface Imported {
  readonly name: string
  readonly plural: string
  readonly importing: Importing
  readonly known: KnownColumns
}

interface ServiceParts {
  readonly db: Database
  readonly store: ImportStore
  readonly imported: readonly Imported[]
  partsOf(resource: string): JudgeParts | undefined
}

const samplesShown = 3

/** The query parameters of an upload. */
interface UploadParameters extends Partial<Record<'sheet' | 'encoding' | 'locale', string | undefined>> {
  readonly name?: string | null | undefined
}

/** The operations of callers. Files are read, judged and applied in the background (`work`). */
export const importService = (parts: ServiceParts) => {
  const { db, store, imported, partsOf } = parts
  const count = counting(store)
  const pluralOf = (resource: string) => imported.find(({ name }) => name === resource)?.plural ?? ''

  const find = async (importId: string, principal: Principal): Promise<Job> => {
    const job = await store.find(importId)
    if (!job || job.state === 'uploading' || !mayImport(principal, pluralOf(job.resource))) throw notFound()
    return job
  }

  const shown = async (job: Job): Promise<Import> => {
    const [counts, samples] = await Promise.all([
      count(job),
      store.rows(job.importId, 0, { limit: samplesShown }),
    ])
    const { fields = {}, known = {} } = partsOf(job.resource)?.importing ?? {}
    return shownImport(job, { counts, samples, fields, known })
  }

  const expecting = async (importId: string, { principal, expected }: Asked) => {
    const job = await find(importId, principal)
    if (expected !== undefined && expected !== job.version) throw preconditionFailed()
    return job
  }

  /** Writes the next version of an import in one of these states. Retries if background work wrote first. */
  const decide = async (importId: string, asked: Asked, { from, to }: Decision): Promise<Job> => {
    for (let tries = 1; ; tries++) {
      const job = await expecting(importId, asked)
      if (!from.includes(job.state)) throw importIs(job.state)
      const next = { ...job, ...to(job), version: job.version + 1 }
      if (await store.replace(next).then(() => true, unlessOutrun)) return next
      if (asked.expected !== undefined || tries === maxTries) throw changedMeanwhile(asked.expected)
    }
  }

  const knownField = (job: Job, field: string | null, target: string) => {
    const fields = [...Object.keys(partsOf(job.resource)?.importing.fields ?? {}), ...nameOrders]
    if (field !== null && !fields.includes(field)) throw bodyInvalid([notOneOf(target, fields)])
  }

  /** Starts background work on behalf of this caller. Each batch checks the caller's right again. */
  const startWork = async (importId: string, asked: Asked, { from, state }: Beginning) => {
    const to = ({ by }: Job): Partial<Job> => ({
      ...{ state, done: 0, reason: null, isBegun: true },
      by: { owner: by.name, ...by, ...callerOf(asked.principal), by: asked.actor.by },
    })
    return shown(await decide(importId, asked, { from, to }))
  }

  return {
    async begin(
      job: Job,
      { name = null, ...said }: UploadParameters,
      { principal, actor }: Pick<Asked, 'principal' | 'actor'>,
    ): Promise<Import> {
      const options = { ...job.options, ...said } as Options
      const by = { ...callerOf(principal), owner: principal.name, by: actor.by, track: actor.track }
      const next: Job = { ...job, name, options, by, state: 'reading', version: job.version + 1 }
      await store.replace(next)
      return shown(next)
    },

    async all(principal: Principal) {
      const permitted = imported.filter(({ plural }) => mayImport(principal, plural)).map(({ name }) => name)
      const jobs = await store.newest(permitted, maxListed)
      return { content: await Promise.all(jobs.map(shown)), version: 1 }
    },

    permitted: find,
    find: async (importId: string, principal: Principal) => shown(await find(importId, principal)),

    /** Changes columns or options. All rows are judged again. Some options also require reading the file again. */
    async change(importId: string, { columns, options }: ImportChange, asked: Asked): Promise<Import> {
      const job = await expecting(importId, asked)
      // Mapping another column could show the passwords in the file.
      refuseUnlessSender(job.by, asked.principal)
      const judging = partsOf(job.resource)
      const importing = judging?.importing
      const known = Object.keys(importing?.known ?? {})
      if (options.match !== null && !known.includes(options.match))
        throw bodyInvalid([notOneOf('options.match', known)])
      if (options.passwords !== job.options.passwords && !importing?.passwordRows)
        throw bodyInvalid([notOneOf('options.passwords', ['refuse'])])
      const chosen = job.columns.map(
        (column, at): Column => ({ ...column, ...(columns[at] && { field: columns[at].field }) }),
      )
      for (const [at, { field }] of chosen.entries()) {
        knownField(job, field, `columns.${at}.field`)
        const first = chosen.findIndex((other) => other.field === field)
        if (field !== null && first < at && !(judging && isJoined(judging.known, field)))
          throw bodyInvalid([{ code: 'Pattern', wording: 'Pattern.twice', target: `columns.${at}.field` }])
      }
      // Columns are not known until the file is read, so a choice among earlier ones cannot be kept.
      if (job.stage !== 'judge' && columns.length > job.columns.length) throw importIs(job.state)
      const isReadAnew = readBy.some((name) => options[name] !== job.options[name])
      if (isReadAnew && job.isBegun) throw importIs('applied')
      const to = ({ stage, round }: Job): Partial<Job> => {
        const common = { options, state: 'reading', reason: null, round: round + 1 } as const
        if (isReadAnew) return { ...common, columns: [], stage: 'clear', done: 0 }
        return stage === 'judge' ? { ...common, columns: chosen, done: 0 } : common
      }
      return shown(await decide(importId, asked, { from: isReadAnew ? [...open, 'failed'] : open, to }))
    },

    /** Judges one row with other values, at once. */
    async correct(importId: string, line: string, { values }: Correction, asked: Asked): Promise<ImportRow> {
      const job = await find(importId, asked.principal)
      const judging = partsOf(job.resource)
      if (!judging) throw notFound()
      if (!open.includes(job.state) || job.stage !== 'judge') throw importIs(job.state)
      for (const { field } of values) knownField(job, field, 'values.field')
      const row = await requiredRow(store, importId, line)
      if (row.applied !== null) throw importIs('applied')
      const judged = await db.write(await judgeCorrected(judging, job, { row, values })).catch(unlessOutrun)
      if (!judged) throw changedMeanwhile(asked.expected)
      return shownRow(judged)
    },

    async row(importId: string, line: string, principal: Principal): Promise<ImportRow> {
      await find(importId, principal)
      return shownRow(await requiredRow(store, importId, line))
    },

    async replaceAll(
      importId: string,
      { field, from, to: other }: Replacement,
      asked: Asked,
    ): Promise<Import> {
      const job = await expecting(importId, asked)
      // Replacements are stored unencrypted, so secrets are excluded.
      const { fields = {} } = partsOf(job.resource)?.importing ?? {}
      const replaceable = Object.keys(fields).filter((one) => !isSecret(fields, one))
      if (!replaceable.includes(field)) throw bodyInvalid([notOneOf('field', replaceable)])
      const to = ({ replaced, round, stage, done }: Job): Partial<Job> => ({
        ...{ replaced: [...replaced, { field, from, to: other }], round: round + 1 },
        ...{ state: 'reading', done: stage === 'judge' ? 0 : done },
      })
      return shown(await decide(importId, asked, { from: open, to }))
    },

    apply: (importId: string, asked: Asked) =>
      startWork(importId, asked, { from: ['ready', 'stopped'], state: 'applying' }),

    stop: async (importId: string, asked: Asked) =>
      shown(await decide(importId, asked, { from: ['applying'], to: () => ({ state: 'stopped' }) })),

    async undo(importId: string, asked: Asked): Promise<Import> {
      const { by, resource } = await find(importId, asked.principal)
      refuseUnlessMayUndo(by, asked.principal, pluralOf(resource))
      return startWork(importId, asked, { from: ['ready', 'stopped', 'done'], state: 'undoing' })
    },

    async remove(importId: string, asked: Asked): Promise<undefined> {
      const from = states.filter((state) => state !== 'applying' && state !== 'undoing')
      await decide(importId, asked, { from, to: () => ({ state: 'removed', expiresAt: 0 }) })
    },

    rows: store.list,
  }
}

export type ImportService = ReturnType<typeof importService>

interface Asked {
  readonly principal: Principal
  readonly actor: Actor
  readonly expected: number | undefined
}

interface Decision {
  readonly from: readonly Job['state'][]
  to(job: Job): Partial<Job>
}

interface Beginning extends Pick<Decision, 'from'> {
  readonly state: 'applying' | 'undoing'
}

/** Retries of a decision when background work changed the import first. */
const maxTries = 10

const maxListed = 100

/** The states in which columns and options can be changed. */
const open: readonly Job['state'][] = ['reading', 'ready', 'stopped']

/** Options that change how the file is read. */
const readBy = ['header', 'encoding', 'sheet'] as const

const callerOf = ({ kind, name, id, scopes }: Principal) => ({
  ...{ kind, name, id: id ?? null },
  scopes: scopes ? [...scopes] : null,
})

const requiredRow = async (store: ImportStore, importId: string, line: string): Promise<Staged> => {
  const row = /^\d{1,15}$/.test(line) ? await store.row(importId, Number(line)) : undefined
  if (!row) throw notFound()
  return row
}
