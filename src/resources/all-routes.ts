import type { Tokens } from '#access/tokens.ts'
import { type Route, routes } from '#http/api/routes.ts'
import { batchRoute } from './batches.ts'
import { changesRoute } from './changes.ts'
import { policyOf } from './combined.ts'
import type { Imports } from './import/index.ts'
import { meRoute } from './me.ts'
import type { OpenedResource, Resource } from './resource.ts'
import { tokenRoutes } from './tokens.ts'
import { type ViewContext, viewRoutes } from './views.ts'

export interface RouteSources {
  readonly resources: readonly Resource[]
  readonly openedResources: readonly OpenedResource[]
  readonly imports: Imports
  readonly views: ViewContext
}

/** The routes of the API: of all resources, imports, the feed of changes, batches, tokens, `/me` and saved views. */
export const allRoutes = (
  { resources, openedResources, imports, views }: RouteSources,
  tokens?: Tokens,
): readonly Route[] => {
  const http = routes()
  for (const resource of openedResources) resource.routes(http)
  imports.routes(http)
  changesRoute(http, resources)
  batchRoute(http)
  tokenRoutes(http, tokens)
  meRoute(http, policyOf(resources))
  viewRoutes(http, views, policyOf(resources))
  return http.table
}
