import { hash } from 'node:crypto'
import { isNotModified, itemTag, requireMatch, type TagState } from '#http/message/conditional.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { httpDate } from '#http/wire/http-date.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
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

export const itemAnswers = (route: Route, { writer, tagStateOf }: ApiContext) => {
  const { shows } = route
  const parameters = presentationParameters(route)
  const present = presenter(shows, writer)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const presentation = present(request, readParameters(request, parameters))
    const item = await readItem(route, request)
    const shown = () => writer.element(item, { ...presentation, format: 'json', selfUrl: undefined })
    const state = isReduced(request, shows) ? contentState(shown()) : tagStateOf(item, shows.full)
    requireMatch(request, state)
    const contentLocation =
      request.aliasedId === undefined ? noFields : ['Content-Location', representationUrl(request)]
    const text = writer.document(item, presentation)
    return itemAnswer(request.exchange, state, { presentation, text, contentLocation })
  }
}

/** Reads the item that a route shows. The route's handler throws if there is none. */
export const readItem = (route: Route, { params, admission, actor, serviceUrl }: AdmittedRequest) =>
  route.handle({
    params,
    principal: admission.principal,
    actor,
    expectedVersion: undefined,
    body: undefined as never,
    prepared: undefined as never,
    isErasure: false,
    serviceUrl,
  }) as Promise<Versioned>

/** The URL of exactly this representation, with the suffix and the parameters of the request. */
const representationUrl = ({ url, exchange: { suffix, target } }: AdmittedRequest) =>
  `${url()}${suffix === undefined ? '' : `.${suffix}`}${target.query === '' ? '' : `?${target.query}`}`

/** A state whose tag is a hash of the shown fields: version and date would reveal hidden changes to a caller with a reduced view. */
const contentState = (shown: string): TagState => ({
  tagPrefix: `${hash('sha256', shown, 'base64url').slice(0, tagCharacters)}-`,
})

const tagCharacters = 16

interface WrittenItem {
  readonly presentation: Pick<ItemPresentation, 'format' | 'variant'>
  readonly text: string
  /** The Content-Location field, if the item was requested by an alias. */
  readonly contentLocation?: readonly string[]
}

/** Answers with the item, or with 304 if the caller has it. */
export const itemAnswer = (
  exchange: Exchange,
  item: TagState,
  { presentation, text, contentLocation = noFields }: WrittenItem,
): Answer | Promise<Answer> => {
  const coding = codingForText(header(exchange, 'accept-encoding'), text)
  const tag = itemTag(item, coding ? `${presentation.variant}.${coding}` : presentation.variant)
  const validators = [...validatorFields(tag), ...lastModifiedFields(item), ...contentLocation]
  if (isNotModified(exchange, { tag, lastModifiedAt: item.lastModifiedAt }))
    return { status: 304, headers: validators }
  return textAnswer([...validators, ...contentTypes[presentation.format]], text, coding)
}

const noFields: readonly string[] = []

/** At most the present time, as RFC 9110, 8.8.2.1 requires: of several changes in one millisecond, the later ones have times in the future. */
export const lastModifiedFields = ({ lastModifiedAt }: Pick<TagState, 'lastModifiedAt'>) =>
  lastModifiedAt === undefined ? noFields : ['Last-Modified', httpDate(Math.min(lastModifiedAt, Date.now()))]
