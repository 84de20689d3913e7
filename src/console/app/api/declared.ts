import { collection } from '#client/collection.ts'
import type { Kind, Records } from '#client/records.ts'
import type { VersionedItem } from '#console/app/records/kind.ts'
import { locale } from '#console/app/state/preferences.ts'
import { store } from '#console/app/state/store.ts'
import type { DescribedResource } from '#console/description.ts'
import { titleFrom } from '#core/display.ts'
import { memoizeSuccess } from '#core/once.ts'
import { call, callApi, readSignedIn } from './call.ts'

/** The resources that RESOURCES or an embedding program added to the service. Undefined until they are read. */
export const addedResources = store<readonly DescribedResource[] | undefined>(undefined)

export const readDeclared = memoizeSuccess(async () => {
  const path = '/resources.json'
  const { value } = await readSignedIn(() => call<readonly DescribedResource[]>({ method: 'GET', path }), {})
  extension = value.find(({ isExtension }) => isExtension)
  declaredResources = value.filter((one) => one !== extension)
  addedResources.set(declaredResources.filter(({ isShipped }) => !isShipped))
  return declaredResources
})

let extension: DescribedResource | undefined

/** All resources except members. */
let declaredResources: readonly DescribedResource[] = []

export const allDeclared = () => declaredResources

/** The fields that the operator has added to members, if any. */
export const memberExtension = () => extension

export const resourceNamed = (name: string) => declaredResources.find((one) => one.name === name)

export const resourceAt = (path: string | undefined) =>
  declaredResources.find(({ plural }) => plural === path)

/** Records with a secret have no history, cannot be restored and cannot be imported. */
export const keepsHistory = (name: string) => name !== 'key' && name !== 'webhook'

/** The path segment of the records of a resource. */
export const pluralOf = (name: string) => resourceNamed(name)?.plural ?? `${name}s`

export type DeclaredRecord = Readonly<Record<string, unknown>>

interface DeclaredKind extends Kind {
  readonly id: never
  readonly item: DeclaredRecord
  readonly changed: DeclaredRecord
  readonly created: object
  readonly updated: object
  readonly filter: Readonly<Record<string, unknown>>
}

export const recordsOf = ({ plural }: DescribedResource) =>
  collection(callApi, `/${plural}`) as Records<DeclaredKind>

/** Runs an action on the version that was read. */
export const callAction = ({ plural }: DescribedResource, action: string, known: VersionedItem) =>
  collection(callApi, `/${plural}`).change<DeclaredRecord>(known, {}, { method: 'POST', path: `/${action}` })

export const labelsNow = ({ labels }: DescribedResource) => labels[locale.get()]

export const labelOf = (resource: DescribedResource, name: string) =>
  labelsNow(resource).fields[name]?.label ?? name

/** The fields that name a record. */
export const titleFields = ({ titles, fields }: DescribedResource) =>
  titles.flatMap((name) => fields.find((field) => field.name === name) ?? [])

/** The title of a record. `nameOf` gives the names of the records to which this record refers. */
export const titleOfRecord = (
  resource: DescribedResource,
  record: DeclaredRecord,
  nameOf: (id: string) => string,
): string => titleFrom(titleFields(resource), record, { id: String(record[`${resource.name}Id`]), nameOf })
