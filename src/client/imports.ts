import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { collection } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { Known } from './records.ts'
import type { Import, ImportedFile, ImportPassword, ImportPatch, ImportRow, Outcome } from './types.ts'

type KnownImport = Known<Import>
type Change = (known: KnownImport, options?: CallOptions) => Promise<Answer<Import>>

export interface Imports {
  /** Sends a file. The service reads and checks it in the background: `get` shows its `state`. */
  create(file: Blob, given: ImportedFile, options?: CallOptions): Promise<Answer<Import>>
  get(known: KnownImport, options?: CallOptions): Promise<Answer<Import>>
  /** Answers the questions in `open`, and changes columns and options. The rows are then checked again. */
  patch(known: KnownImport, body: ImportPatch, options?: CallOptions): Promise<Answer<Import>>
  /** Fetches pages of rows as you read. */
  rows(importId: string, query?: { readonly outcome?: Outcome }): AsyncIterable<ImportRow>
  /** Fetches pages of the generated passwords as you read. */
  passwords(importId: string): AsyncIterable<ImportPassword>
  readonly apply: Change
  readonly stop: Change
  readonly undo: Change
  remove(known: KnownImport, options?: CallOptions): Promise<Answer<undefined>>
}

export const importsOf = (call: Call): Imports => {
  const { get, patch, remove, change } = collection(call, '/imports')
  const action =
    (name: string): Change =>
    (known, options = {}) =>
      change(known, options, { method: 'POST', path: `/${name}`, isRepeatUnsafe: true })
  return {
    ...{ get, patch, remove, apply: action('apply'), stop: action('stop'), undo: action('undo') },
    create: (file, { into, ...query }, options = {}) =>
      call({ ...options, method: 'POST', path: `/${into}/imports`, query, file }),
    passwords: (importId) => collection(call, `/imports/${importId}/passwords`).each(),
    rows: (importId, query) => collection(call, `/imports/${importId}/rows`).each(query as object),
  }
}
