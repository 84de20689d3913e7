import { itemTag } from '#http/message/conditional.ts'
import { prefers } from '#http/message/prefer.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { cursorField } from './change-cursor.ts'
import type { KeptAnswer } from './idempotency.ts'
import { contentTypes, type ItemPresentation, validatorFields } from './presentation.ts'
import { lastModified } from './reading.ts'
import { changesItem, type Route, type Versioned } from './routes.ts'
import type { Rules } from './rules.ts'

interface Changed {
  readonly item: Versioned
  readonly presentation: ItemPresentation
}

/** Shows the item after the change, or no body if the caller prefers `return=minimal`. */
export const mutationAnswer = (
  { route, rules }: { readonly route: Route; readonly rules: Pick<Rules, 'writer' | 'itemState'> },
  { exchange, url }: AdmittedRequest,
  { item, presentation }: Changed,
): KeptAnswer => {
  const { names } = route
  const self = () =>
    names === undefined ? url() : `${url()}/${(item as Versioned & Record<string, unknown>)[names]}`
  const headers = route.showsSecret
    ? ['Cache-Control', 'no-store']
    : [
        ...validatorFields(itemTag(rules.itemState(item, route.shows.full), presentation.variant)),
        ...lastModified(item),
      ]
  if (names !== undefined) headers.push('Location', self())
  const isNew = !changesItem(route)
  if (prefers(exchange, 'return', 'minimal')) {
    headers.push('Preference-Applied', 'return=minimal')
    return { status: isNew ? 201 : 204, headers, body: '' }
  }
  headers.push(...contentTypes[presentation.format])
  const selfUrl = presentation.selfUrl === undefined ? undefined : self()
  return {
    status: isNew ? 201 : 200,
    headers,
    body: rules.writer.document(item, { ...presentation, selfUrl }),
  }
}

/** Adds the position of the log after the work to the answer. */
export const withLogPosition = async (
  { changes, cursors }: Pick<Rules, 'changes' | 'cursors'>,
  { actor }: AdmittedRequest,
  answered: KeptAnswer,
): Promise<Answer> => {
  const position = await changes.positionAfterWrites(actor.pendingChanges)
  return { ...answered, headers: [...answered.headers, ...cursorField(cursors, position)] }
}
