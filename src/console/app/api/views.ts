import type { NewSavedView, SavedView, SavedViews } from '#client/index.ts'
import { ask, askForRead, callApi, type ReadOptions } from './ask.ts'

const path = '/me/views'

/** The lists that the user, or somebody who shares them, has given a name. */
export const readViews = async (options: ReadOptions) => {
  const { signal } = options
  return (await askForRead(() => callApi<SavedViews>({ method: 'GET', path, signal }), options)).value.content
}

/** Replaces a view, or saves another. */
export const saveView = async (body: NewSavedView, viewId?: string): Promise<SavedView> => {
  const place = viewId === undefined ? { method: 'POST', path } : { method: 'PUT', path: `${path}/${viewId}` }
  return (await ask(() => callApi<SavedView>({ ...place, body } as { method: 'POST'; path: string }))).value
}

export const removeView = (viewId: string) =>
  ask(() => callApi<undefined>({ method: 'DELETE', path: `${path}/${viewId}` }))
