import { type Policy, permittedOperations } from '#access/policy.ts'
import { errorTable } from '#core/error-table.ts'
import { bodyInvalid, changedMeanwhile, notFound, notInCodeList, Problem, refused } from '#core/problem.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'
import { type StoredView, viewStore } from '#ledger/views.ts'
import type { ResourceContext } from './resource.ts'
import { maxSharedViews, maxViews, NewSavedView, SavedView, SavedViews } from './saved-view.ts'

export const viewCodes = { tooManyViews: 'e.xx.vw.8001' } as const

export const viewErrors = errorTable({
  [viewCodes.tooManyViews]: {
    en: `You have {max} saved views already.
      The maximum number of saved views is reached.
      Views stay until they are deleted, even if nobody uses them.
      Delete a view that is not needed.`,
    ja: `保存したビューはすでに {max} 件あります。
      一人が保存できるビューの数が上限に達しています。
      使わなくなったビューが残っています。
      不要なビューを削除してください。`,
  },
})

export type ViewContext = Pick<ResourceContext, 'db' | 'newId'>

const item = '/me/views/:viewId'
const change = { operation: 'me:update', notInBatch: true } as const
const shows = { full: SavedView }

/** Adds the routes of saved views. A view is a filtered list of the console under a name, saved by the caller or shared by others. */
export const viewRoutes = (http: Routes, context: ViewContext, policy: Policy) => {
  const views = savedViewService(context, policy)
  http.get(
    '/me/views',
    { operation: 'me:read', summary: 'Get the saved views of the caller', shows: { full: SavedViews } },
    ({ principal }) => views.list(principal),
  )
  http.post(
    '/me/views',
    {
      ...change,
      summary: 'Save a view',
      shows,
      body: NewSavedView,
      idProperty: 'viewId',
      refusals: [viewCodes.tooManyViews],
    },
    ({ body, principal }) => views.create(body, principal),
  )
  http.get(
    item,
    { operation: 'me:read', summary: 'Get a saved view', shows },
    async ({ params, principal }) => asSeenBy(principal, await views.findVisible(params.viewId, principal)),
  )
  http.put(
    item,
    { ...change, summary: 'Replace a saved view', shows, body: NewSavedView },
    ({ params, body, principal, expectedVersion }) =>
      views.replace(params.viewId, { ...body, expected: expectedVersion }, principal),
  )
  http.delete(item, { ...change, summary: 'Delete a saved view' }, ({ params, principal }) =>
    views.remove(params.viewId, principal),
  )
}

type ViewBody = Pick<StoredView, 'name' | 'page' | 'query' | 'shared'>

const savedViewService = ({ db, newId }: ViewContext, policy: Policy) => {
  const store = viewStore(db)
  // Imports, the log and `/me` can be read too, but have no list to filter.
  const hasList = (name: string) => `${name}:create` in policy
  const readableLists = (principal: Principal) =>
    permittedOperations(principal, policy).flatMap((operation) => {
      const name = /^(\w+):read$/.exec(operation)?.[1]
      return name !== undefined && hasList(name) ? [name] : []
    })

  const findVisible = async (viewId: string, principal: Principal) => {
    const view = await store.find(viewId)
    const isVisible =
      view?.owner === principal.name || (view?.shared && readableLists(principal).includes(view.page))
    if (!view || !isVisible) throw notFound()
    return view
  }

  /** Refuses a view of somebody else, except for administrators. */
  const findChangeable = async (viewId: string, principal: Principal) => {
    const view = await findVisible(viewId, principal)
    if (view.owner !== principal.name && principal.kind !== 'administrator') throw new Problem('forbidden')
    return view
  }

  const validated = ({ name, page, query, shared }: ViewBody, principal: Principal) => {
    const pages = readableLists(principal)
    if (!pages.includes(page)) throw bodyInvalid([notInCodeList('page', 'CL_PAGE', pages)])
    return { name, page, query, shared }
  }

  return {
    findVisible,

    async list(principal: Principal) {
      const mine = await store.ofOwner(principal.name, maxViews)
      const shared = await store.shared(readableLists(principal), maxViews + maxSharedViews)
      const others = shared.filter(({ owner }) => owner !== principal.name).slice(0, maxSharedViews)
      const content = [...mine, ...others].map((view) => asSeenBy(principal, view))
      return { content, version: 1, unversionedText: JSON.stringify(content) }
    },

    async create(body: ViewBody, principal: Principal) {
      const view = { ...validated(body, principal), viewId: newId(), owner: principal.name, version: 1 }
      if (!(await store.insert(view, maxViews))) throw refused(viewCodes.tooManyViews, { max: maxViews })
      return asSeenBy(principal, view)
    },

    async replace(
      viewId: string,
      { expected, ...body }: ViewBody & { readonly expected: number | undefined },
      principal: Principal,
    ) {
      const before = await findChangeable(viewId, principal)
      const view = { ...before, ...validated(body, principal), version: before.version + 1 }
      const isCurrent = expected === undefined || expected === before.version
      if (!isCurrent || !(await store.replace(view))) throw changedMeanwhile(expected)
      return asSeenBy(principal, view)
    },

    async remove(viewId: string, principal: Principal) {
      await findChangeable(viewId, principal)
      await store.remove(viewId)
      return undefined
    },
  }
}

const asSeenBy = ({ name }: Principal, view: StoredView) => ({ ...view, mine: view.owner === name })

const example = {
  viewId: '019e6a3c-6c00-7000-8000-000000000001',
  name: 'Not yet invited',
  page: 'members',
  query: 'sort=-createdAt',
  shared: false,
  mine: true,
}
const { viewId: _, mine: __, ...exampleRequest } = example

export const viewsDocument: ResourceDocument = {
  tag: 'Saved views',
  description: 'Lists of the console, saved under a name with their filters, order and columns.',
  fields: {
    'savedView.viewId': 'Generated by the service.',
    'savedView.name': 'The name that the console shows.',
    'savedView.page': 'The list, such as `members`. The caller must be permitted to read the list.',
    'savedView.query':
      'The query of the list’s address in the console, without `?`: filters, sort and columns.',
    'savedView.shared': 'True: everybody who may read the list sees the view.',
    'savedView.mine': 'True: the view belongs to the caller.',
    'savedViews.content': 'The views of the caller by name, then the shared views of others.',
    SavedView: 'A list of the console, saved under a name.',
    SavedViews: 'The saved views that the caller can use.',
    NewSavedView: 'A view to save.',
    SavedViewUpdate: 'The new state of a saved view.',
  },
  operations: {
    'GET /me/views': {
      id: 'listSavedViews',
      description: `At most ${maxViews} views that the caller has saved, and at most ${maxSharedViews} shared views of others for lists that the caller may read. With \`ACCESS=open\`, all callers share the same views.`,
      answer: { content: [example] },
    },
    'POST /me/views': {
      id: 'createSavedView',
      description: `Saves a view. A member can save at most ${maxViews}, and a key none. When a member is deleted, the member’s views are deleted too.`,
      request: exampleRequest,
      answer: example,
    },
    'GET /me/views/:viewId': {
      id: 'getSavedView',
      description: 'A view of the caller, or a shared view of somebody else.',
      answer: example,
    },
    'PUT /me/views/:viewId': {
      id: 'replaceSavedView',
      description: 'Changes a view. Only its owner and administrators may change a shared view.',
      request: { ...exampleRequest, shared: true },
      answer: { ...example, shared: true },
    },
    'DELETE /me/views/:viewId': {
      id: 'deleteSavedView',
      description: 'Deletes a view. Only its owner and administrators may delete a shared view.',
    },
  },
}
