import { scopesIn } from '#access/policy.ts'
import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import { passwordHasher } from '#core/password.ts'
import { cursors } from '#http/api/cursor.ts'
import type { Route } from '#http/api/routes.ts'
import { type DocumentParts, openApiDocument } from '#http/openapi/document.ts'
import { changeLog } from '#ledger/change-log.ts'
import { openChanges } from '#ledger/change-reader.ts'
import { batchesDocument } from '#resources/batches.ts'
import { changesDocument } from '#resources/changes.ts'
import { importDocument } from '#resources/import/document.ts'
import { openImports } from '#resources/import/index.ts'
import { resources as shipped } from '#resources/index.ts'
import { referencesAmong } from '#resources/machine/references.ts'
import { meDocument } from '#resources/me.ts'
import type { Resource } from '#resources/resource.ts'
import { tableOf } from '#resources/table.ts'
import { tokensDocument } from '#resources/tokens.ts'
import { viewsDocument } from '#resources/views.ts'
import { allWords, codesOf, errorsOf, policyOf, scopesOfKeys } from '#resources/words.ts'
import { openConfigured } from './database.ts'

interface DocumentSettings extends Pick<DocumentParts, 'server' | 'access' | 'isDeprecated'> {
  readonly resources: readonly Resource[]
}

export const documentOf = (table: readonly Route[], { resources, ...settings }: DocumentSettings) =>
  openApiDocument({
    ...settings,
    summary: 'A registry of members and a list of todos.',
    routes: table,
    scopesOf: scopesIn(policyOf(resources)),
    keyScopes: scopesOfKeys(resources),
    errors: errorsOf(resources),
    codes: codesOf(resources),
    rooms: [
      ...resources.map(({ document }) => document),
      changesDocument,
      batchesDocument,
      tokensDocument,
      meDocument,
      viewsDocument,
      importDocument(resources.filter(({ takesFiles }) => takesFiles)),
    ],
  })

/** The document as published: for every way of access, wherever the service runs. */
export const publishedDocument = async (resources: readonly Resource[] = shipped) => {
  const db = await openConfigured('sqlite::memory:')
  const announce = changeLog({ clock: systemClock, newId: risingIds(systemClock) })
  const context = {
    db,
    clock: systemClock,
    newId: risingIds(systemClock),
    timeZone: 'UTC',
    passwords: passwordHasher(),
    isRefused: () => false,
    isReserved: () => false,
    prove: async () => undefined,
    announce,
    digest: () => '',
    consoleUrl: (apiUrl: string) => apiUrl,
    references: referencesAmong(resources, announce),
    policy: policyOf(resources),
    changes: openChanges({ db, keepMs: 'off' }),
    cursors: cursors(Buffer.alloc(0)),
    delivery: {
      ...{ answerMs: 0, beatMs: 0, leaseMs: 0, graceMs: 0, hosts: [], userAgent: '', types: [] },
      rights: () => [],
      ...{ written: async () => '', failed: () => undefined, ended: () => undefined },
    },
  }
  const rooms = resources.map((resource) => resource.open(context))
  const imports = openImports({
    ...{ ...context, resources, rooms, words: allWords, locale: 'en', leaseMs: 0, key: Buffer.alloc(32) },
  })
  const table = tableOf({ resources, rooms, imports, views: context })
  await db.close()
  return documentOf(table, { server: '/api/v1', access: 'any', resources })
}
