import { scopesByOperation } from '#access/policy.ts'
import { openTasks } from '#core/tasks.ts'
import { streamRegistry } from '#http/api/event-stream.ts'
import type { Route } from '#http/api/routes.ts'
import { type DocumentOptions, openApiDocument } from '#http/openapi/document.ts'
import { processUptimeMs } from '#ledger/sweep.ts'
import { allRoutes } from '#resources/all-routes.ts'
import { batchesDocument } from '#resources/batches.ts'
import { changesDocument } from '#resources/changes.ts'
import { codesOf, errorsOf, keyScopesOf, policyOf } from '#resources/combined.ts'
import { importDocument } from '#resources/import/document.ts'
import { resources as shipped } from '#resources/index.ts'
import { meDocument } from '#resources/me.ts'
import type { Resource } from '#resources/resource.ts'
import { tokensDocument } from '#resources/tokens.ts'
import { viewsDocument } from '#resources/views.ts'
import { apiPrefix } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { openLog } from '#src/log.ts'
import { openShared } from './shared.ts'

interface DocumentSettings extends Pick<DocumentOptions, 'server' | 'access' | 'isDeprecated'> {
  readonly resources: readonly Resource[]
}

export const documentOf = (table: readonly Route[], { resources, ...settings }: DocumentSettings) =>
  openApiDocument({
    ...settings,
    summary: 'A registry of members and a list of todos.',
    routes: table,
    scopesOf: scopesByOperation(policyOf(resources)),
    keyScopes: keyScopesOf(resources),
    errors: errorsOf(resources),
    codes: codesOf(resources),
    resourceDocuments: [
      ...resources.map(({ document }) => document),
      changesDocument,
      batchesDocument,
      tokensDocument,
      meDocument,
      viewsDocument,
      importDocument(resources.filter(({ hasFileImport }) => hasFileImport)),
    ],
  })

/** The published API document, which covers every access mode and names no server. */
export const publishedDocument = async (resources: readonly Resource[] = shipped) => {
  await using opened = new AsyncDisposableStack()
  const ignoreTasks = { failed: () => undefined, recovered: () => undefined }
  const parts = {
    log: openLog({ level: 'silent', format: 'json', sink: { write: () => undefined } }),
    streams: streamRegistry(),
    tasks: openTasks(ignoreTasks),
    uptimeMs: processUptimeMs,
    resources,
    prefix: apiPrefix,
    certificateEndMs: () => undefined,
  }
  const shared = await openShared(readConfig({ DATABASE_URL: 'sqlite::memory:' }), parts, opened)
  return documentOf(allRoutes(shared), { server: apiPrefix, access: 'any', resources })
}
