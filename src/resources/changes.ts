import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'
import { policyOf } from './combined.ts'
import { exampleChange } from './examples.ts'
import type { Resource } from './resource.ts'

/** The types of all changes of these resources. */
export const changeTypesOf = (resources: readonly Resource[]) =>
  resources.flatMap(({ changeTypes = [] }) => changeTypes)

/** The rights to read changes of these types with their values. The log has values only of resources with a history. */
export const rightsToRead = (resources: readonly Resource[]) => {
  const policy = policyOf(resources)
  return (types: readonly string[]) => {
    const resourcesWithValues = resources.filter(({ name, plural }) => {
      const isSent = types.some((type) => type.startsWith(`${name}.`))
      return isSent && `${plural}:history` in policy
    })
    return ['changes:read', ...resourcesWithValues.map(({ plural }) => `${plural}:read`)]
  }
}

/** Adds the route of the feed with the changes of all resources. */
export const changesRoute = (http: Routes, resources: readonly Resource[]) =>
  http.feed('/changes', {
    operation: 'changes:read',
    summary: 'List changes',
    feed: changeTypesOf(resources),
    refusals: ['e.xx.fw.5002'],
  })

export const changesDocument: ResourceDocument = {
  tag: 'Changes',
  description: 'All changes of records, in the order in which they were committed.',
  fields: {},
  operations: {
    'GET /changes': {
      id: 'listChanges',
      description:
        'The changes after a cursor. To follow a list, read the list, send its `Change-Cursor` as `after`, apply the changes in the answer, and send the `cursor` of the answer as the next `after`: no change is missed or repeated. With `wait`, the answer waits until there is a change. With `Accept: text/event-stream` the same path is a stream of server-sent events, which resumes from `Last-Event-ID`.',
      answer: {
        content: [exampleChange('todo', ['todoTitle', 'finished'])],
        cursor: 'uGkF1yV0c2R0',
        more: false,
      },
    },
  },
}
