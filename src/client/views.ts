import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { segmentOf } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { NewSavedView, SavedView, SavedViews } from './types.ts'

/** Saved views: lists as they are filtered and sorted in the console, saved under a name. */
export interface Views {
  /** Returns the caller's views, followed by those that others share. */
  list(options?: CallOptions): Promise<Answer<SavedViews>>
  /** Saves a view. */
  create(body: NewSavedView, options?: CallOptions): Promise<Answer<SavedView>>
  /** Replaces a view of the caller. */
  replace(viewId: string, body: NewSavedView, options?: CallOptions): Promise<Answer<SavedView>>
  /** Deletes a view of the caller. */
  remove(viewId: string, options?: CallOptions): Promise<Answer<undefined>>
}

export const viewsOf = (call: Call): Views => {
  const path = '/me/views'
  const pathOf = (viewId: string) => `${path}/${segmentOf(viewId)}`
  return {
    list: (options = {}) => call({ ...options, method: 'GET', path }),
    create: (body, options = {}) => call({ ...options, method: 'POST', path, body }),
    replace: (viewId, body, options = {}) => call({ ...options, method: 'PUT', path: pathOf(viewId), body }),
    remove: (viewId, options = {}) => call({ ...options, method: 'DELETE', path: pathOf(viewId) }),
  }
}
