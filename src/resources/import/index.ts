import type { Policy } from '#access/policy.ts'
import { memberPrincipal } from '#access/principals.ts'
import type { Messages } from '#core/error-table.ts'
import type { ForeignColumn, ForeignColumns } from '#core/foreign-files.ts'
import { currentDate } from '#core/formats.ts'
import type { Locale } from '#core/locale.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Routes } from '#http/api/routes.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import { lease } from '#ledger/lease.ts'
import type { ImportTarget } from '#resources/import-target.ts'
import type { OpenedResource, Resource, ResourceContext } from '#resources/resource.ts'
import { encryption } from './encryption.ts'
import { passwordList } from './passwords.ts'
import { mayImport } from './rights.ts'
import { importRoutes } from './routes.ts'
import { type ImportableResource, importService } from './service.ts'
import { importStore, type Job, type JobOwner } from './store.ts'
import { fileStorage } from './storing.ts'
import { importWork } from './work.ts'

interface ImportContext extends Pick<ResourceContext, 'db' | 'clock' | 'newId' | 'timeZone'> {
  readonly resources: readonly Resource[]
  /** The opened resources, in the same order. */
  readonly openedResources: readonly OpenedResource[]
  readonly messages: Messages
  readonly locale: Locale
  readonly leaseMs: number
  /** Encrypts staged files and rows. */
  readonly key: Buffer
}

export const openImports = (context: ImportContext) => {
  const { db, clock, newId, timeZone, resources, openedResources, messages, leaseMs } = context
  const cipher = encryption(context.key)
  const store = importStore(db, cipher)
  const readerOf = bodyReaders(clock, timeZone)
  const importables = resources.flatMap((resource, at): ImportableResource[] => {
    const { name, plural, labels } = resource
    const records = openedResources[at]?.importTarget
    if (!records) return []
    const unique = Object.keys(records.matchFields).filter((field) => records.matchFields[field]?.isUnique)
    const { fields } = records
    return [
      {
        name,
        plural,
        labels,
        records,
        db,
        store,
        messages,
        newId,
        today: () => currentDate(clock.now(), timeZone),
        timeZone,
        mappable: {
          fields,
          labels: labelsIn(resource),
          unique,
          foreign: foreignColumnsOf(resource, fields, resources),
        },
        read: (body) => readerOf(records.schema)(body),
        referredResource: (field) => importableOf(fields[field]?.reference ?? ''),
      },
    ]
  })
  const importableOf = (resource: string) => importables.find(({ name }) => name === resource)
  const service = importService({ db, store, importables, importableOf })
  const passwordRows = importables.find(({ records }) => records.passwordRows)?.records.passwordRows
  const passwords = passwordRows && passwordList(db, cipher, passwordRows)
  const storeFile = fileStorage({ store, clock, newId, locale: context.locale })

  /** Looks up the caller again. Undefined if the caller may no longer import records of this resource. */
  const permittedCaller = async ({ by, resource, options }: Job): Promise<Principal | undefined> => {
    const principal = await lookUpOwner(by, openedResources)
    const { plural = '' } = importableOf(resource) ?? {}
    return principal && mayImport(principal, plural, options) ? principal : undefined
  }

  const { work, release } = importWork({
    db,
    store,
    importableOf,
    permittedCaller,
    lease: lease({ db, clock, name: 'imports', durationMs: leaseMs }),
  })
  return {
    routes: (http: Routes) => importRoutes(http, { ...service, storeFile, passwords }, importables),
    work,
    release,
    sweep: store.sweep,
  }
}

export type Imports = Pick<ReturnType<typeof openImports>, 'routes'>

/** Looks up administrators and keys again, because they may have lost their rights. The scopes of a token never change. */
const lookUpOwner = async (
  { kind, name, id, scopes }: JobOwner,
  openedResources: readonly OpenedResource[],
): Promise<Principal | undefined> => {
  const people = openedResources.find(({ passwordSignIn }) => passwordSignIn)?.passwordSignIn
  if (kind === 'administrator' && id !== null)
    return (await people?.find(id))?.isAdministrator ? memberPrincipal(id, true) : undefined
  if (kind !== 'key') return { kind, name, ...(scopes && { scopes: new Set(scopes) }) }
  const key = await openedResources.find(({ findKeyByName }) => findKeyByName)?.findKeyByName?.(name)
  return key && { kind, name, scopes: new Set(key.scopes) }
}

const labelsIn = ({ labels }: Resource) =>
  Object.values(labels).map(({ fields }) =>
    Object.fromEntries(Object.entries(fields).map(([field, { label }]) => [field, label])),
  )

/** The column names and codes of each field in files. They include the labels of codes and of referenced resources in every language. */
const foreignColumnsOf = (
  { headings = {}, labels, name: own }: Resource,
  fields: ImportTarget['fields'],
  resources: readonly Resource[],
): ForeignColumns => {
  const codesOf = (field: string, codes: readonly string[]) => {
    const labelled = (code: string) =>
      Object.values(labels).flatMap((one) => one.fields[`${field}.${code}`]?.label ?? [])
    const words = (code: string) => [headings[field]?.codes?.[code] ?? [], labelled(code)].flat().join(',')
    return Object.fromEntries(codes.map((code) => [code, words(code)]).filter(([, some]) => some !== ''))
  }
  const namesOf = (field: string, reference: string) => {
    const isOnly = Object.values(fields).filter((one) => one.reference === reference).length === 1
    const target = resources.find(({ name }) => name === reference && name !== own)
    const resourceNames = isOnly && target ? Object.values(target.labels).map(({ one }) => one) : []
    return [headings[field]?.names ?? [], resourceNames].flat().join(',')
  }
  const columns = Object.entries(fields).map(([field, schema]): [string, ForeignColumn] => {
    const { reference, 'x-extensible-enum': codes } = schema
    const names = reference === undefined ? (headings[field]?.names ?? '') : namesOf(field, reference)
    return [field, { ...headings[field], names, ...(codes && { codes: codesOf(field, codes) }) }]
  })
  return Object.fromEntries(columns)
}

/** An import needs the right to create and the right to update. */
export const importPolicy = (resources: readonly Resource[]): Policy => {
  const plurals = resources.filter(({ hasFileImport }) => hasFileImport).map(({ plural }) => plural)
  const row = (some: readonly string[]) => ({
    anyone: 'yes' as const,
    member: 'no' as const,
    scopes: some.map((plural) => `${plural}:create ${plural}:update`),
  })
  return {
    ...Object.fromEntries(plurals.map((plural) => [`${plural}:import`, row([plural])])),
    'imports:read': row(plurals),
    'imports:change': row(plurals),
  }
}
