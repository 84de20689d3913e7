import { itemTag } from '#http/message/conditional.ts'
import { prefers } from '#http/message/prefer.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { cursorField } from './change-cursor.ts'
import type { StoredAnswer } from './idempotency.ts'
import { contentTypes, type ItemPresentation, validatorFields } from './presentation.ts'
import { lastModifiedFields } from './reading.ts'
import { changesItem, type Route, type Versioned } from './routes.ts'

interface ChangedItem {
  readonly item: Versioned
  readonly presentation: ItemPresentation
}

/** Shows the item after the change, or no body if the caller prefers `return=minimal`. */
export const mutationAnswer = (
  { route, context }: { readonly route: Route; readonly context: Pick<ApiContext, 'writer' | 'tagStateOf'> },
  { exchange, url }: AdmittedRequest,
  { item, presentation }: ChangedItem,
): StoredAnswer => {
  const { idProperty } = route
  const itemUrl = () =>
    idProperty === undefined ? url() : `${url()}/${(item as Versioned & Record<string, unknown>)[idProperty]}`
  const headers = route.showsSecret
    ? ['Cache-Control', 'no-store']
    : [
        ...validatorFields(itemTag(context.tagStateOf(item, route.shows.full), presentation.variant)),
        ...lastModifiedFields(item),
      ]
  if (idProperty !== undefined) headers.push('Location', itemUrl())
  const isNew = !changesItem(route)
  if (prefers(exchange, 'return', 'minimal')) {
    headers.push('Preference-Applied', 'return=minimal')
    return { status: isNew ? 201 : 204, headers, body: '' }
  }
  headers.push(...contentTypes[presentation.format])
  const selfUrl = presentation.selfUrl === undefined ? undefined : itemUrl()
  return {
    status: isNew ? 201 : 200,
    headers,
    body: context.writer.document(item, { ...presentation, selfUrl }),
  }
}

/** Adds the cursor of the position after the request's changes. */
export const withChangeCursor = async (
  { changes, cursors }: Pick<ApiContext, 'changes' | 'cursors'>,
  { actor }: AdmittedRequest,
  answer: StoredAnswer,
): Promise<Answer> => {
  const position = await changes.positionAfterWrites(actor.pendingChanges)
  return { ...answer, headers: [...answer.headers, ...cursorField(cursors, position)] }
}
