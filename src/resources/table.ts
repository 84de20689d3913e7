import { type Route, routes } from '#http/api/routes.ts'
import { changesRoute } from './changes.ts'
import type { OpenResource } from './resource.ts'

/** The routes of all rooms, and that of their changes. */
export const tableOf = (rooms: readonly OpenResource[]): readonly Route[] => {
  const http = routes()
  for (const room of rooms) room.routes(http)
  changesRoute(http)
  return http.table
}
