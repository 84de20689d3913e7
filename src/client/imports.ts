import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { collection, segmentOf } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { Known } from './records.ts'
import type { Import, ImportedFile, ImportPassword, ImportPatch, ImportRow, Outcome } from './types.ts'

type KnownImport = Known<Import>
type Change = (idOrItem: KnownImport, options?: CallOptions) => Promise<Answer<Import>>

/** Imports of files. */
export interface Imports {
  /** Uploads a file. The service reads and checks its rows in the background: `get` shows the `state` of the import. */
  create(file: Blob, given: ImportedFile, options?: CallOptions): Promise<Answer<Import>>
  /** Returns an import. An import that was read before is sent again only if it has changed. */
  get(idOrItem: KnownImport, options?: CallOptions): Promise<Answer<Import>>
  /** Changes columns and options, and so answers the questions in `open`. The service then checks the rows again. */
  patch(idOrItem: KnownImport, body: ImportPatch, options?: CallOptions): Promise<Answer<Import>>
  /** Yields the rows of an import, and reads further pages as you iterate. Throws a RollcallError on failure. */
  rows(importId: string, query?: { readonly outcome?: Outcome }): AsyncIterable<ImportRow>
  /** Yields the generated passwords, and reads further pages as you iterate. Throws a RollcallError on failure. */
  passwords(importId: string): AsyncIterable<ImportPassword>
  /** Writes the rows to the resource, in the background. Continues an import that was stopped. */
  readonly apply: Change
  /** Stops the writing of rows. Rows that were already written stay. */
  readonly stop: Change
  /** Takes back what the import wrote, in the background, except records that were changed since. */
  readonly undo: Change
  /** Deletes the import with its file and rows. The records that it wrote stay. */
  remove(idOrItem: KnownImport, options?: CallOptions): Promise<Answer<undefined>>
}

export const importsOf = (call: Call): Imports => {
  const { get, patch, remove, change, pathOf } = collection(call, '/imports')
  const action =
    (name: string): Change =>
    (idOrItem, options = {}) =>
      change(idOrItem, options, { method: 'POST', path: `/${name}`, isRepeatUnsafe: true })
  return {
    get,
    patch,
    remove,
    apply: action('apply'),
    stop: action('stop'),
    undo: action('undo'),
    create: (file, { into, ...query }, options = {}) =>
      call({ ...options, method: 'POST', path: `/${segmentOf(into)}/imports`, query, file }),
    passwords: (importId) => collection(call, `${pathOf(importId)}/passwords`).each(),
    rows: (importId, query) => collection(call, `${pathOf(importId)}/rows`).each(query as object),
  }
}
