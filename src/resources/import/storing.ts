import type { Locale } from '#core/locale.ts'
import type { ResourceContext } from '#resources/resource.ts'
import { blocksOf } from './files/text.ts'
import type { Options } from './schema.ts'
import { type ImportStore, type Job, removed } from './store.ts'

interface StorageContext extends Pick<ResourceContext, 'clock' | 'newId'> {
  readonly store: ImportStore
  readonly locale: Locale
}

/** The query parameters of an upload. */
export interface UploadParameters
  extends Partial<Record<'sheet' | 'encoding' | 'locale' | 'existing', string | undefined>> {
  readonly name?: string | null | undefined
  readonly apply?: boolean | undefined
}

const retentionMs = 7 * 24 * 60 * 60 * 1000
const pieceBytes = 256 * 1024

/** Stores a file while it is uploaded. Callers see the import only after `begin`. */
export const fileStorage =
  ({ store, clock, newId, locale }: StorageContext) =>
  async (resource: string, pieces: AsyncIterable<Uint8Array>): Promise<Job> => {
    const now = clock.now()
    const job: Job = {
      importId: newId(),
      resource,
      state: 'uploading',
      version: 1,
      done: 0,
      name: null,
      createdAt: now,
      expiresAt: now + retentionMs,
      stage: 'read',
      round: 1,
      columns: [],
      replaced: [],
      open: [],
      reason: null,
      options: { ...defaultOptions, locale },
      by: { by: '', track: '', name: '', kind: 'anyone', id: null, scopes: null },
    }
    await store.insert(job)
    try {
      let number = 0
      for await (const piece of blocksOf(pieces, Number.POSITIVE_INFINITY, pieceBytes))
        await store.addPiece(job.importId, number++, piece)
      return job
    } catch (error) {
      await store.save(job, removed).catch(() => undefined)
      throw error
    }
  }

export const defaultOptions: Omit<Options, 'locale'> = {
  header: null,
  match: null,
  existing: 'update',
  dates: null,
  encoding: null,
  sheet: null,
  passwords: 'refuse',
}
