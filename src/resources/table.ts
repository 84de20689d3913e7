import type { Tokens } from '#access/tokens.ts'
import { type Route, routes } from '#http/api/routes.ts'
import { batchRoute } from './batches.ts'
import { changesRoute } from './changes.ts'
import type { Imports } from './import/index.ts'
import { meRoute } from './me.ts'
import type { OpenedResource, Resource } from './resource.ts'
import { tokenRoutes } from './tokens.ts'
import { type ViewContext, viewRoutes } from './views.ts'
import { policyOf } from './words.ts'

export interface Rooms {
  readonly resources: readonly Resource[]
  /** The same resources, opened. */
  readonly rooms: readonly OpenedResource[]
  readonly imports: Imports
  readonly views: ViewContext
}

/** The routes of all resources, of the feed of changes, of batches, of tokens and of saved views. */
export const tableOf = ({ resources, rooms, imports, views }: Rooms, tokens?: Tokens): readonly Route[] => {
  const http = routes()
  for (const room of rooms) room.routes(http)
  imports.routes(http)
  changesRoute(http, resources)
  batchRoute(http)
  tokenRoutes(http, tokens)
  meRoute(http, policyOf(resources))
  viewRoutes(http, views, policyOf(resources))
  return http.table
}
