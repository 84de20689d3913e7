import type { Answer, Change, Import, Member, Version } from '#client/index.ts'
import { callApi, changes, members, type ReadOptions, readSignedIn, take } from './call.ts'
import {
  type DeclaredRecord,
  declaredAs,
  keepsHistory,
  readDeclared,
  recordsOf,
  titleOfRecord,
} from './declared.ts'
import { failureOf, isGone } from './failure.ts'

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
  // Deleted records are restored one by one, so each is a line of its own.
  const isWhole = query.id !== undefined || query.types?.every((type) => type.endsWith('.deleted'))
  const imports = isWhole ? new Map<string, Import>() : await readImports(options)
  const found: Change[] = []
  let [before, hasMore, size] = ['latest', true, count]
  for (let reads = count + readsThroughImports; reads > 0 && hasMore && found.length < count; reads--) {
    const part = { ...query, before, size }
    const { value } = await readSignedIn(() => changes.list(part, { signal: options.signal }), options)
    for (const change of value.content)
      if (!imports.has(change.data.track) || !found.some(({ data }) => data.track === change.data.track))
        found.push(change)
    before = value.cursor
    hasMore = value.more
    const last = value.content.at(-1)
    size = last && imports.has(last.data.track) ? longestPage : count
  }
  const shown = found.slice(0, count)
  hasMore ||= found.length > count
  return { changes: shown, hasMore, imports, names: await readNames(shown, options) }
}

const longestPage = 100

/** The minimum number of pages to read through the many changes of an import. */
const readsThroughImports = 20

/** Turns a refusal or a missing record into undefined. Any other failure is thrown. */
const ignoreWithheld = (error: unknown): undefined => {
  const failure = failureOf(error)
  if (failure.status !== 403 && !isGone(failure)) throw error
}

/** The imports that still exist, by the track id of their changes. Empty if the user may not see imports. */
const readImports = async (options: ReadOptions): Promise<ReadonlyMap<string, Import>> => {
  const list = () => callApi<{ content: readonly Import[] }>({ method: 'GET', path: '/imports' })
  const found = await readSignedIn(list, options).catch(ignoreWithheld)
  return new Map((found?.value.content ?? []).map((one) => [one.track, one]))
}

export const readHistory = (name: string, id: string, count: number, options: Partial<ReadOptions>) => {
  const { signal } = options
  const resource = declaredAs(name)
  return take<Version<object>>(
    () => (resource ? recordsOf(resource) : members).history(id, { signal }),
    count,
    options,
  )
}

/** The versions of the changed records, by record id. Empty for a record whose versions are not kept. */
export const readVersions = async (found: readonly Change[], options: ReadOptions) => {
  const kinds = new Map(
    found.flatMap(({ type, subject }) => {
      const [kind = '', verb = ''] = type.split('.')
      return keepsHistory(kind) && (verb === 'updated' || verb === 'roleChanged')
        ? [[subject, kind] as const]
        : []
    }),
  )
  const versions = [...kinds].map(async ([id, kind]) => {
    const read = await readHistory(kind, id, maxVersions, options).catch(ignoreWithheld)
    return [id, read ?? []] as const
  })
  return new Map(await Promise.all(versions))
}

/** How many versions of a record are read to find what a change did. */
const maxVersions = 100

/** The name of a record, if it is known. A deleted record keeps the name that it had. */
export interface RecordName {
  readonly value?: undefined | Pick<Member, 'firstName' | 'lastName'> | { readonly name: string }
  readonly isGone: boolean
}

export type Names = ReadonlyMap<string, RecordName>

const uuidShape = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const isMemberId = (by: string) => uuidShape.test(by)

/** The author of a change: a member is named by its id alone. */
export const authorOf = (by: string): readonly [kind: string, id?: string] =>
  isMemberId(by) ? ['member', by] : (by.split(/:(.*)/s) as [string, string?])

export const readNames = async (found: readonly Change[], options: ReadOptions): Promise<Names> => {
  await readDeclared()
  const kinds = new Map<string, string>()
  for (const change of found) {
    const [kind, id] = authorOf(change.data.by)
    if (id) kinds.set(id, kind)
    kinds.set(change.subject, change.type.split('.')[0] ?? '')
  }
  const names = [...kinds].map(async ([id, kind]) => {
    const isDeleted = found.some(({ type, subject }) => subject === id && type === `${kind}.deleted`)
    return [id, await findName([kind, id], isDeleted, options)] as const
  })
  return new Map(await Promise.all(names))
}

export const findName = async (
  [kind, id]: readonly [string, string],
  isDeleted: boolean,
  options: Partial<ReadOptions>,
): Promise<RecordName> => {
  const { signal } = options
  const resource = declaredAs(kind)
  const named = (value: object | undefined) =>
    (resource && value
      ? { name: titleOfRecord(resource, value as DeclaredRecord) }
      : value) as RecordName['value']
  const read = (): Promise<Answer<object>> =>
    resource ? recordsOf(resource).get(id, { signal }) : members.getReduced(id, { signal })
  const isKnown = resource !== undefined || kind === 'member'
  try {
    if (!isDeleted)
      return { isGone: false, value: named(isKnown ? (await readSignedIn(read, options)).value : undefined) }
  } catch (error) {
    if (!isGone(failureOf(error))) return { isGone: false }
  }
  if (!keepsHistory(kind)) return { isGone: true }
  const past = (await readHistory(kind, id, 2, options).catch(ignoreWithheld)) ?? []
  // It may have been restored since.
  return { isGone: !past[0]?.value, value: named(past.find(({ value }) => value)?.value ?? undefined) }
}
