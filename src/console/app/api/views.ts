import type { NewSavedView } from '#client/index.ts'
import { viewsOf } from '#client/views.ts'
import { callApi, callSignedIn, type ReadOptions, readSignedIn } from './call.ts'

const views = viewsOf(callApi)

/** The lists that the user, or somebody who shares them, has given a name. */
export const readViews = async (options: ReadOptions) =>
  (await readSignedIn((init) => views.list(init), options)).value.content

/** Replaces a view, or saves a new one. */
export const saveView = (body: NewSavedView, viewId?: string) =>
  callSignedIn(() => (viewId === undefined ? views.create(body) : views.replace(viewId, body)))

export const removeView = (viewId: string) => callSignedIn(() => views.remove(viewId))
