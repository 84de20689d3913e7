import { type Route, routes } from '#http/api/routes.ts'
import type { OpenResource } from './resource.ts'

/** The routes of all rooms. */
export const tableOf = (rooms: readonly OpenResource[]): readonly Route[] => {
  const http = routes()
  for (const room of rooms) room.routes(http)
  return http.table
}
