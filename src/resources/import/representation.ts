import type { Fields } from '#core/schema.ts'
import type { ImportTarget } from '#resources/import-target.ts'
import { isSecret, textOf } from './interpreting.ts'
import type { StagedRow } from './rows.ts'
import type { Counts, Import } from './schema.ts'
import type { Column, ImportStore, Job } from './store.ts'

interface ImportContent {
  readonly counts: Counts
  readonly samples: readonly StagedRow[]
  readonly fields: Fields
  readonly matchFields: ImportTarget['matchFields']
}

/** An import as answers show it, with samples from its first rows unless the caller may not read the file. Secret fields have none. */
export const toImport = (job: Job, { counts, samples, fields, matchFields }: ImportContent): Import => {
  const { importId, resource, name, state, version, options, columns, reason, open, by, createdAt, done } =
    job
  const sampleText = ({ cells: { cells } }: StagedRow, { heading }: Column, at: number) =>
    textOf(Array.isArray(cells) ? cells[at] : (cells as Readonly<Record<string, unknown>>)[heading ?? ''])
  return {
    importId,
    resource,
    name,
    state: state as Import['state'],
    reason,
    open,
    counts,
    options,
    version,
    sheets: job.sheets ?? [],
    identities: Object.keys(matchFields),
    columns: columns.map((column, at) => ({
      ...column,
      samples: isSecret(fields, column.field)
        ? []
        : samples.flatMap((row) => sampleText(row, column, at) ?? []),
    })),
    track: by.track,
    createdBy: by.by,
    createdAt,
    // The entity tag is made of these texts.
    unversionedText: `${state} ${done} ${Object.values(counts)} ${samples.length}`,
    versionedText: `${importId} ${version}`,
  }
}

/** Counting the rows of an import reads every row, so during background work a count is reused for a second. */
export const rowCounter = (store: ImportStore) => {
  const recent = new Map<string, { readonly atMs: number; readonly counts: Promise<Counts> }>()
  return ({ importId, state }: Job) => {
    if (!workingStates.includes(state)) {
      recent.delete(importId)
      return store.count(importId)
    }
    const last = recent.get(importId)
    if (last && performance.now() - last.atMs < countReuseMs) return last.counts
    const counts = store.count(importId)
    recent.set(importId, { atMs: performance.now(), counts })
    return counts
  }
}

const workingStates: readonly Job['state'][] = ['reading', 'applying', 'undoing']
const countReuseMs = 1000
