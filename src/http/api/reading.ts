import { hash } from 'node:crypto'
import { type ItemState, isNotModified, itemTag, requireMatch } from '#http/message/conditional.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { httpDate } from '#http/wire/http-date.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import {
  contentTypes,
  type ItemPresentation,
  isReduced,
  presentationParameters,
  presenter,
  validatorFields,
} from './presentation.ts'
import { readParameters } from './query.ts'
import type { Route, Versioned } from './routes.ts'
import type { Rules } from './rules.ts'

export const itemAnswers = (route: Route, { writer, itemState }: Pick<Rules, 'writer' | 'itemState'>) => {
  const { shows } = route
  const parameters = presentationParameters(route)
  const present = presenter(shows, writer)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const presentation = present(request, readParameters(request, parameters))
    const item = await readItem(route, request)
    const shown = () => writer.element(item, { ...presentation, format: 'json', selfUrl: undefined })
    const compared = isReduced(request, shows) ? byContent(shown()) : itemState(item, shows.full)
    requireMatch(request, compared)
    const location = request.self === undefined ? none : ['Content-Location', addressOf(request)]
    return itemAnswer(request.exchange, compared, {
      presentation,
      text: writer.document(item, presentation),
      location,
    })
  }
}

/** The item that a route shows. The room refuses if there is none. */
export const readItem = (route: Route, { params, admission, actor, base }: AdmittedRequest) =>
  route.handle({
    params,
    principal: admission.principal,
    actor,
    expected: undefined,
    body: undefined as never,
    prepared: undefined as never,
    erases: false,
    base,
  }) as Promise<Versioned>

/** The address of exactly what was requested: its suffix and its parameters say how it is shown. */
const addressOf = ({ url, exchange: { suffix, target } }: AdmittedRequest) =>
  `${url()}${suffix === undefined ? '' : `.${suffix}`}${target.query === '' ? '' : `?${target.query}`}`

/** The tag is a hash of the shown fields: to a caller with a reduced view, version and date would reveal hidden changes. */
const byContent = (shown: string): ItemState => ({
  name: `${hash('sha256', shown, 'base64url').slice(0, tagCharacters)}-`,
})

const tagCharacters = 16

interface Written {
  readonly presentation: Pick<ItemPresentation, 'format' | 'variant'>
  readonly text: string
  /** The item's own address, if it was requested by another one. */
  readonly location?: readonly string[]
}

/** Sends the item, or 304. */
export const itemAnswer = (
  exchange: Exchange,
  item: ItemState,
  { presentation, text, location = none }: Written,
): Answer | Promise<Answer> => {
  const coding = codingForText(header(exchange, 'accept-encoding'), text)
  const tag = itemTag(item, coding ? `${presentation.variant}.${coding}` : presentation.variant)
  const validators = [...validatorFields(tag), ...lastModified(item), ...location]
  if (isNotModified(exchange, { tag, lastModifiedAt: item.lastModifiedAt }))
    return { status: 304, headers: validators }
  return textAnswer([...validators, ...contentTypes[presentation.format]], text, coding)
}

const none: readonly string[] = []

/** Changes within one millisecond are dated ahead of the clock, but no answer carries a date in the future (RFC 9110, 8.8.2.1). */
export const lastModified = ({ lastModifiedAt }: Pick<ItemState, 'lastModifiedAt'>) =>
  lastModifiedAt === undefined ? none : ['Last-Modified', httpDate(Math.min(lastModifiedAt, Date.now()))]
