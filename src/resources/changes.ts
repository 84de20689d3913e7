import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/room.ts'
import { policyOf } from './combined.ts'
import { exampleChange } from './examples.ts'
import type { Resource } from './resource.ts'

/** The types of all changes of these resources. */
export const changeTypesOf = (resources: readonly Resource[]) =>
  resources.flatMap(({ changeTypes = [] }) => changeTypes)

/** The rights to read changes of these types with their values: the same as for a history. The log has values only of resources with a history. */
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

/** Adds the feed of the changes of all resources. */
export const changesRoute = (http: Routes, resources: readonly Resource[]) =>
  http.feed('/changes', {
    operation: 'changes:read',
    summary: 'List changes',
    feed: changeTypesOf(resources),
    refuses: ['e.xx.fw.5002'],
  })

export const changesDocument: ResourceDocument = {
  tag: 'Changes',
  description: 'What has been changed, in the order in which it was committed.',
  fields: {},
  operations: {
    'GET /changes': {
      id: 'listChanges',
      description:
        'The changes after a cursor. Read a list, take its `Change-Cursor` as `after`, apply the answer, and go on with the `cursor` of the answer: nothing is missed or repeated. `wait` lets an empty answer wait. With `Accept: text/event-stream` the same path is a stream of server-sent events, which resumes from `Last-Event-ID`.',
      answer: {
        content: [exampleChange('todo', ['todoTitle', 'finished'])],
        cursor: 'uGkF1yV0c2R0',
        more: false,
      },
    },
  },
}
