import type { Tokens } from '#access/tokens.ts'
import { type Route, routes } from '#http/api/routes.ts'
import { batchRoute } from './batches.ts'
import { changesRoute } from './changes.ts'
import type { OpenResource } from './resource.ts'
import { tokenRoutes } from './tokens.ts'

/** The routes of all rooms, and those of their changes, of batches and of tokens. */
export const tableOf = (rooms: readonly OpenResource[], tokens?: Tokens): readonly Route[] => {
  const http = routes()
  for (const room of rooms) room.routes(http)
  changesRoute(http)
  batchRoute(http)
  tokenRoutes(http, tokens)
  return http.table
}
