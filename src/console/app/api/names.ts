import type { Answer, Change, Member, Version } from '#client/index.ts'
import type { DescribedResource } from '#console/description.ts'
import { valueAt } from '#core/csv.ts'
import { titleReferencesOf } from '#core/display.ts'
import { members, type ReadOptions, readSignedIn, take } from './call.ts'
import {
  type DeclaredRecord,
  keepsHistory,
  memberExtension,
  readDeclared,
  recordsOf,
  resourceNamed,
  titleFields,
} from './declared.ts'
import { failureOf, isGone } from './failure.ts'

/** The name of a record, as far as it is known. A deleted record has the name that it had last. */
export interface RecordName {
  readonly value?:
    | undefined
    | Pick<Member, 'firstName' | 'lastName'>
    | { readonly resource: DescribedResource; readonly record: DeclaredRecord }
  readonly isGone: boolean
}

export type Names = ReadonlyMap<string, RecordName>

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const isMemberId = (by: string) => uuidPattern.test(by)

/** The kind and the id of the author of a change. A change names a member by its id alone. */
export const authorOf = (by: string): readonly [kind: string, id?: string] =>
  isMemberId(by) ? ['member', by] : (by.split(/:(.*)/s) as [string, string?])

export const readNames = async (changes: readonly Change[], options: ReadOptions): Promise<Names> => {
  await readDeclared()
  const kinds = new Map<string, string>()
  for (const change of changes) {
    const [kind, id] = authorOf(change.data.by)
    if (id) kinds.set(id, kind)
    kinds.set(change.subject, change.type.split('.')[0] ?? '')
  }
  const names = [...kinds].map(async ([id, kind]) => {
    const isDeleted = changes.some(({ type, subject }) => subject === id && type === `${kind}.deleted`)
    return [id, await findName([kind, id], isDeleted, options)] as const
  })
  return new Map(await Promise.all(names))
}

/** Finds the name of a record, and loads the names of the records that occur in its title. */
export const findName = async (
  [kind, id]: readonly [string, string],
  isDeleted: boolean,
  options: Partial<ReadOptions>,
): Promise<RecordName> => {
  const resource = resourceNamed(kind)
  const toNameValue = async (found: object | null | undefined): Promise<RecordName['value']> => {
    if (!resource || !found) return (found ?? undefined) as RecordName['value']
    const record = found as DeclaredRecord
    await loadNamesInTitles(resource, [record], options)
    return { resource, record }
  }
  const read = (init: object): Promise<Answer<object>> =>
    resource ? recordsOf(resource).get(id, init) : members.getReduced(id, init)
  const hasName = resource !== undefined || kind === 'member'
  try {
    if (!isDeleted)
      return {
        isGone: false,
        value: await toNameValue(hasName ? (await readSignedIn(read, options)).value : undefined),
      }
  } catch (error) {
    if (!isGone(failureOf(error))) return { isGone: false }
  }
  if (!keepsHistory(kind)) return { isGone: true }
  const versions = (await readHistory(kind, id, 2, options).catch(ignoreForbiddenOrGone)) ?? []
  // The record may have been restored since.
  return { isGone: !versions[0]?.value, value: await toNameValue(versions.find(({ value }) => value)?.value) }
}

interface NameRequest {
  readonly atMs: number
  readonly answer: Promise<RecordName>
  resolved?: RecordName
}

const requests = new Map<string, NameRequest>()

/** The time for which refreshed rows share one answer. */
const sharedMs = 1_000

/** The name of a record to which rows refer. Rows that refer to the same record share one request. */
export const findNameOnce = (kind: string, id: string, isRefresh: boolean): Promise<RecordName> => {
  const known = requests.get(id)
  if (known && (!isRefresh || Date.now() - known.atMs < sharedMs)) return known.answer
  const answer = findName([kind, id], false, { isBackground: isRefresh })
  const request: NameRequest = { atMs: Date.now(), answer }
  requests.set(id, request)
  answer.then(
    (named) => {
      request.resolved = named
    },
    () => requests.delete(id),
  )
  return answer
}

/** The name of a record, if `findNameOnce` has found it already. */
export const knownName = (id: string): RecordName | undefined => requests.get(id)?.resolved

/** Loads the names of the records that occur in the titles of these records, so that `titleText` knows them. */
export const loadNamesInTitles = async (
  resource: DescribedResource,
  records: readonly DeclaredRecord[],
  { isBackground = false }: Partial<ReadOptions> = {},
) => {
  const fields = titleFields(resource)
  await loadNames(
    records.flatMap((record) => titleReferencesOf(fields, record)),
    isBackground,
  )
}

const loadNames = (records: readonly (readonly [resource: string, id: string])[], isRefresh: boolean) =>
  Promise.all(records.map(([of, id]) => findNameOnce(of, id, isRefresh).catch(() => undefined)))

/** Loads the names of the records to which these versions refer, so that `knownName` has them. */
export const loadReferredNames = async (kind: string, versions: readonly Version<object>[]) => {
  const { fields = [] } = resourceNamed(kind) ?? memberExtension() ?? {}
  const referenceFields = fields.flatMap(({ name, of }) => (of === undefined ? [] : [[name, of] as const]))
  const references = versions.flatMap(({ value }) =>
    referenceFields.flatMap(([name, of]) => {
      const id = value && valueAt(value, name)
      return typeof id === 'string' ? [[of, id] as const] : []
    }),
  )
  await loadNames(references, false)
}

export const readHistory = (name: string, id: string, count: number, options: Partial<ReadOptions>) => {
  const resource = resourceNamed(name)
  const history = (): AsyncGenerator<Version<object>> =>
    (resource ? recordsOf(resource) : members).history(id, { signal: options.signal })
  return take(history, count, options)
}

/** Turns a refusal or a missing record into undefined. Any other failure is thrown. */
export const ignoreForbiddenOrGone = (error: unknown): undefined => {
  const failure = failureOf(error)
  if (failure.status !== 403 && !isGone(failure)) throw error
}
