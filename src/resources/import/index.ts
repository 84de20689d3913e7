import type { Policy } from '#access/policy.ts'
import { memberPrincipal } from '#access/principals.ts'
import { lettersOf } from '#core/foreign.ts'
import type { Locale } from '#core/locale.ts'
import { onceFor } from '#core/once.ts'
import type { Words } from '#core/words.ts'
import type { Principal } from '#http/api/guard.ts'
import type { Routes } from '#http/api/routes.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import { lease } from '#ledger/lease.ts'
import type { Ground, Importing, OpenResource, Resource } from '#resources/resource.ts'
import type { JudgeParts } from './judging.ts'
import { importRoutes } from './routes.ts'
import { type Imported, importService, mayImport } from './service.ts'
import { type Beginner, importStore } from './store.ts'
import { importWork } from './work.ts'

interface ImportGround extends Pick<Ground, 'db' | 'clock' | 'newId' | 'timeZone'> {
  readonly resources: readonly Resource[]
  /** The same, opened. */
  readonly rooms: readonly OpenResource[]
  readonly words: Words
  readonly locale: Locale
  readonly leaseMs: number
}

/** Files on their way to becoming records of any resource that lets them. */
export const openImports = (ground: ImportGround) => {
  const { db, clock, newId, resources, rooms, words, leaseMs } = ground
  const imported = resources.flatMap(({ name, plural }, at): Imported[] => {
    const importing = rooms[at]?.importing
    return importing ? [{ name, plural, importing }] : []
  })
  const readerOf = bodyReaders(clock, ground.timeZone)
  const partsFor = onceFor(
    ({ importing }: Imported): JudgeParts => ({
      db,
      importing,
      words,
      read: (body) => readerOf(importing.schema)(body),
    }),
  )
  const partsOf = (resource: string) => {
    const found = imported.find(({ name }) => name === resource)
    return found && partsFor(found)
  }
  const store = importStore(db)
  const service = importService({ db, store, clock, newId, locale: ground.locale, imported, partsOf })

  /** The caller again, if it may still import records of this resource. */
  const standing = async (by: Beginner, resource: string): Promise<Principal | undefined> => {
    const principal = await again(by, rooms)
    const plural = imported.find(({ name }) => name === resource)?.plural ?? ''
    return principal && mayImport(principal, plural) ? principal : undefined
  }

  const { work, release } = importWork({
    ...{ db, store, partsOf, standing, columnsOf, headerOf: (_, [first]) => first },
    lease: lease({ db, clock, name: 'imports', lastingMs: leaseMs }),
    renewMs: leaseMs / 3,
  })
  return {
    routes: (http: Routes) => importRoutes(http, service, imported),
    work,
    release,
    sweep: store.sweep,
  }
}

export type Imports = Pick<ReturnType<typeof openImports>, 'routes'>

/** A member may have been demoted, and a key may have ended. What a token permits is in itself. */
const again = async (
  { kind, name, id, scopes }: Beginner,
  rooms: readonly OpenResource[],
): Promise<Principal | undefined> => {
  const people = rooms.find((room) => room.people)?.people
  if (kind === 'administrator' && id !== null)
    return (await people?.find(id))?.isAdministrator ? memberPrincipal(id, true) : undefined
  if (kind !== 'key') return { kind, name, ...(scopes && { scopes: new Set(scopes) }) }
  const key = await rooms.find((room) => room.keyNamed)?.keyNamed?.(name)
  return key && { kind, name, scopes: new Set(key.scopes) }
}

const columnsOf = ({ fields }: Importing, headings: readonly string[]) => {
  const taken = new Set<string>()
  return headings.map((heading) => {
    const field = Object.keys(fields).find(
      (name) =>
        !taken.has(name) &&
        [name, name.split('.').at(-1) ?? ''].some((one) => lettersOf(one) === lettersOf(heading)),
    )
    if (field !== undefined) taken.add(field)
    return { heading, field: field ?? null }
  })
}

/** Who may import: who may both create and update the records. */
export const importPolicy = (resources: readonly Resource[]): Policy => {
  const plurals = resources.filter(({ takesFiles }) => takesFiles).map(({ plural }) => plural)
  const row = (some: readonly string[]) => ({
    ...{ anyone: 'yes' as const, member: 'no' as const },
    scopes: some.map((plural) => `${plural}:create ${plural}:update`),
  })
  return {
    ...Object.fromEntries(plurals.map((plural) => [`${plural}:import`, row([plural])])),
    'imports:read': row(plurals),
    'imports:change': row(plurals),
  }
}
