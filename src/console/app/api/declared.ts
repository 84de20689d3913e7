import { collection } from '#client/collection.ts'
import type { Done } from '#client/index.ts'
import type { Kind, Records } from '#client/records.ts'
import { locale } from '#console/app/state/preferences.ts'
import { store } from '#console/app/state/store.ts'
import type { DescribedResource } from '#console/description.ts'
import { onceSucceeded } from '#core/once.ts'
import { askForRead, call, callApi } from './ask.ts'

/** The resources of this service that have no pages of their own. Undefined until they were read. */
export const declared = store<readonly DescribedResource[] | undefined>(undefined)

export const readDeclared = onceSucceeded(async () => {
  const path = '/resources.json'
  const { value } = await askForRead(() => call<readonly DescribedResource[]>({ method: 'GET', path }), {})
  declared.set(value)
  return value
})

/** One of them, by its name. */
export const declaredAs = (name: string) => declared.get()?.find((one) => one.name === name)

/** The path of the records of a resource. */
export const pluralOf = (name: string) => declaredAs(name)?.plural ?? `${name}s`

export type DeclaredRecord = Readonly<Record<string, unknown>>

export type KnownRecord = Pick<Done<DeclaredRecord>, 'value' | 'etag'>

interface DeclaredKind extends Kind {
  readonly id: never
  readonly item: DeclaredRecord
  readonly changed: DeclaredRecord
  readonly created: object
  readonly updated: object
  readonly filter: Readonly<Record<string, unknown>>
}

/** The calls for the records of a declared resource. */
export const recordsOf = ({ plural }: DescribedResource) =>
  collection(callApi, `/${plural}`) as Records<DeclaredKind>

export const labelsNow = ({ labels }: DescribedResource) => labels[locale.get()]

/** What a record is called: its first text that is always there, else any, else the end of its id. */
export const titleOfRecord = ({ name, fields }: DescribedResource, record: DeclaredRecord): string => {
  const texts = fields.filter(({ kind }) => kind === 'text' || kind === 'email')
  const ordered = [...texts.filter(({ isNullable }) => !isNullable), ...texts]
  const title = ordered.map((field) => record[field.name]).find((value) => typeof value === 'string' && value)
  return String(title ?? `…${String(record[`${name}Id`]).slice(-6)}`)
}
