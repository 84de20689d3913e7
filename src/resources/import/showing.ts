import type { Staged } from './rows.ts'
import { textOf } from './saying.ts'
import type { Counts, Import } from './schema.ts'
import type { Column, Job } from './store.ts'

/** An import as answers show it, with samples from its first rows. */
export const shownImport = (job: Job, counts: Counts, samples: readonly Staged[]): Import => {
  const { importId, resource, name, state, version, options, columns, reason, open, by, createdAt, done } =
    job
  const sample = ({ cells: { cells } }: Staged, { heading }: Column, at: number) =>
    textOf(Array.isArray(cells) ? cells[at] : (cells as Readonly<Record<string, unknown>>)[heading ?? ''])
  return {
    ...{ importId, resource, name, state: state as Import['state'], reason, open, counts, options, version },
    columns: columns.map((column, at) => ({
      ...column,
      samples: samples.flatMap((row) => sample(row, column, at) ?? []),
    })),
    ...{ track: by.track, createdBy: by.by, createdAt },
    ...{ beside: `${state} ${done}`, ofVersion: `${importId} ${version}` },
  }
}
