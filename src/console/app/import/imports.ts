import { collection } from '#client/collection.ts'
import type { CallOptions, Done, ImportPassword, PageOf, WalkQuery } from '#client/index.ts'
import { callApi, callSignedIn, type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import { allDeclared, keepsHistory, labelsNow } from '#console/app/api/declared.ts'
import { declaredKind } from '#console/app/declared/kind.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { type Field, fieldsOf } from '#console/app/records/kind.ts'
import { locale } from '#console/app/state/preferences.ts'
import { trackImport } from '#console/app/state/running-imports.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { JsonOf } from '#core/schema.ts'
import type * as schema from '#resources/import/schema.ts'
import { importWords } from './words.ts'

export type Import = JsonOf<typeof schema.Import>
export type ImportRow = JsonOf<typeof schema.ImportRow>
export type Outcome = schema.Outcome
export type VersionedImport = Done<Import>

/** A resource whose records can come from a file. */
export interface Importable {
  readonly name: string
  /** The path segment of the kind in the console and in the API, such as `members`. */
  readonly plural: string
  readonly title: string
  /** The fields to which a column can be mapped, with labels in the language of the page. */
  readonly fields: readonly Field[]
}

export const importables = (): readonly Importable[] => {
  const { pages, members } = wordsNow()
  const declared = allDeclared().flatMap((one) => {
    const { name, plural, form } = declaredKind(one)
    if (!keepsHistory(name)) return []
    return { name, plural, title: labelsNow(one).many, fields: withId(name, fieldsOf(form())) }
  })
  const credential = (['credential.signId', 'credential.password'] as const).map(
    (name): Field => ({
      name,
      label: members.fields[name],
      isOptional: true,
      kind: name === 'credential.password' ? 'password' : 'text',
    }),
  )
  const memberFields = withId('member', [...fieldsOf(memberKind.form()), ...credential])
  return [{ name: 'member', plural: 'members', title: pages.members, fields: memberFields }, ...declared]
}

export const importableNamed = (resource: string) => importables().find(({ name }) => name === resource)

const withId = (name: string, fields: readonly Field[]): readonly Field[] => [
  { name: `${name}Id`, label: importWords().id, kind: 'id', isOptional: true },
  ...fields,
]

export const stateOf = ({ state }: Pick<Import, 'state'>) =>
  state as keyof ReturnType<typeof importWords>['states']

/** The number of rows that `apply` writes. */
export const plannedCount = ({ counts }: Import) => counts.new + counts.changed + counts.deleted

export const nameOf = ({ name, resource }: Pick<Import, 'name' | 'resource'>) =>
  name ?? importableNamed(resource)?.title ?? resource

const imports = collection(callApi, '/imports')

export const readImport = (id: string, options: Partial<ReadOptions> = {}, previous?: VersionedImport) =>
  readSignedIn((init) => imports.get<Import>(previous ?? id, init), options, previous)

export const readRecentImports = (options: ReadOptions) =>
  readSignedIn(() => callApi<{ content: readonly Import[] }>({ method: 'GET', path: '/imports' }), options)

interface UploadOptions extends Partial<Pick<Import['options'], 'existing'>> {
  readonly name?: string | undefined
  readonly apply?: boolean
}

/** Sends a file. The service does the rest. */
export const upload = (plural: string, file: Blob, options: UploadOptions): Promise<VersionedImport> => {
  const query = { ...options, locale: locale.get() }
  return callSignedIn(() =>
    callApi<Import>({ method: 'POST', path: `/${plural}/imports`, query, file, isRepeatUnsafe: true }),
  )
}

/** Imports rows and applies them at once. Every page shows the progress and, at the end, the result with Undo. */
export const importRows = async (plural: string, rows: readonly object[], options: UploadOptions) => {
  const file = new Blob([rows.map((row) => JSON.stringify(row)).join('\n')])
  trackImport((await upload(plural, file, { ...options, apply: true })).value)
}

/** The kind of bulk change that the user made in the console. Undefined for the import of a file. */
export const bulkChangeOf = ({ options: { existing } }: Import) =>
  existing === 'change' || existing === 'delete' ? existing : undefined

export interface Choice {
  readonly columns?: readonly Pick<Import['columns'][number], 'field'>[]
  readonly options?: Partial<Import['options']>
}

/** Sends a choice without a version, because background work and earlier choices may have made a new version. */
export const changeImport = (id: string, choice: Choice) =>
  callSignedIn(() => imports.patch<Import>(id, choice))

/** The import as it will be after the choice. If the choice makes the service read the file again, the columns are not known yet. */
export const withChoice = (job: Import, { columns, options = {} }: Choice): Import => ({
  ...job,
  columns: rereadOptions.some((name) => name in options)
    ? []
    : job.columns.map((column, at) => ({ ...column, ...columns?.[at] })),
  options: { ...job.options, ...options },
})

const rereadOptions = ['header', 'sheet', 'encoding'] as const

export const runImportAction = (loaded: VersionedImport, action: 'apply' | 'stop' | 'undo') =>
  callSignedIn(() =>
    imports.change<Import>(loaded, {}, { method: 'POST', path: `/${action}`, isRepeatUnsafe: true }),
  )

interface RowsQuery {
  readonly id: string
  readonly page: number
  readonly outcome: Outcome | undefined
}

export const readRows = ({ id, page, outcome }: RowsQuery, options: ReadOptions) =>
  readSignedIn(
    (init) => rowsOf(id).page<PageOf<ImportRow>>({ page, ...(outcome && { outcome }) }, init),
    options,
  )

const rowsOf = (id: string) => collection(callApi, `/imports/${id}/rows`)

const passwordsOf = (id: string) => collection(callApi, `/imports/${id}/passwords`)

/** The number of generated passwords that are still valid. */
export const countPasswords = (id: string, options: ReadOptions) =>
  readSignedIn(() => passwordsOf(id).page<PageOf<ImportPassword>>(), options)

export const passwordPages = (id: string, query: WalkQuery, options: CallOptions) =>
  passwordsOf(id).pages<ImportPassword>(query, options)

/** All rows with this outcome or, for `applied`, the rows that are applied and not undone. */
export const eachRow = (id: string, outcome: string) => rowsOf(id).each<ImportRow>({ outcome } as object)

/** Corrects a field in one row, or in all rows with the same value. */
export const correctRow = (id: string, { line, field, from, to, isForAll }: Correction) => {
  const path = `/imports/${id}/rows${isForAll ? '' : `/${line}`}`
  const body = isForAll ? { field, from, to } : { values: [{ field, value: to }] }
  return callSignedIn(() => callApi({ method: 'PATCH', path, body }))
}

export interface Correction {
  readonly line: number
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  readonly isForAll: boolean
}
