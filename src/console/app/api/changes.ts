import type { Change, Import } from '#client/index.ts'
import { callApi, changes, type ReadOptions, readSignedIn } from './call.ts'
import { keepsHistory } from './declared.ts'
import { ignoreForbiddenOrGone, loadReferredNames, readHistory, readNames } from './names.ts'

export const changesPerPage = 25

interface ChangeQuery {
  /** Undefined for all types. */
  readonly types: readonly string[] | undefined
  readonly id: string | undefined
  readonly count: number
  /** The author of the changes. */
  readonly by?: string | undefined
  readonly timeFrom?: string | undefined
  readonly timeTo?: string | undefined
}

/** The newest changes, with the names of their records and authors. Only the newest change of an import is included. */
export const readChanges = async ({ count, ...query }: ChangeQuery, options: ReadOptions) => {
  // A list of deletions has a line for each, because the line restores the record. The changes of one record are not grouped either.
  const isUngrouped = query.id !== undefined || query.types?.every((type) => type.endsWith('.deleted'))
  const imports = isUngrouped ? new Map<string, Import>() : await readImports(options)
  const found: Change[] = []
  let [before, hasMore, pageSize] = ['latest', true, count]
  for (let reads = count + maxExtraReads; reads > 0 && hasMore && found.length < count; reads--) {
    const pageQuery = { ...query, before, size: pageSize }
    const { value } = await readSignedIn((init) => changes.list(pageQuery, init), options)
    for (const change of value.content)
      if (!imports.has(change.data.track) || !found.some(({ data }) => data.track === change.data.track))
        found.push(change)
    before = value.cursor
    hasMore = value.more
    const last = value.content.at(-1)
    pageSize = last && imports.has(last.data.track) ? maxPageSize : count
  }
  const shown = found.slice(0, count)
  hasMore ||= found.length > count
  return { changes: shown, hasMore, imports, names: await readNames(shown, options) }
}

const maxPageSize = 100

/** Extra pages that may be read, because an import may fill pages with changes that are shown as one line. */
const maxExtraReads = 20

/** The imports that still exist, by the track id of their changes. Empty if the user may not see imports. */
const readImports = async (options: ReadOptions): Promise<ReadonlyMap<string, Import>> => {
  const list = () => callApi<{ content: readonly Import[] }>({ method: 'GET', path: '/imports' })
  const found = await readSignedIn(list, options).catch(ignoreForbiddenOrGone)
  return new Map((found?.value.content ?? []).map((one) => [one.track, one]))
}

/** The versions of the changed records, by record id. A record without a history is absent; one that the user may not see has no versions. */
export const readVersions = async (changes: readonly Change[], options: ReadOptions) => {
  const kinds = new Map(
    changes.flatMap(({ type, subject }) => {
      const [kind = '', verb = ''] = type.split('.')
      return keepsHistory(kind) && (verb === 'updated' || verb === 'roleChanged')
        ? [[subject, kind] as const]
        : []
    }),
  )
  const versions = [...kinds].map(async ([id, kind]) => {
    const read = (await readHistory(kind, id, maxVersions, options).catch(ignoreForbiddenOrGone)) ?? []
    await loadReferredNames(kind, read)
    return [id, read] as const
  })
  return new Map(await Promise.all(versions))
}

/** The number of versions of a record that are read to find the values of a change. */
const maxVersions = 100
