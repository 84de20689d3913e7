import { randomBytes } from 'node:crypto'
import type { Order } from '#core/page.ts'
import { Problem } from '#core/problem.ts'
import { isNotModified, listTag, refuseListTag } from '#http/message/conditional.ts'
import {
  codingForStream,
  codingForText,
  compressStream,
  textAnswer,
} from '#http/message/representation/compression.ts'
import { xmlPrologue } from '#http/message/representation/xml-write.ts'
import type { Answer } from '#http/wire/answer.ts'
import { header } from '#http/wire/exchange.ts'
import { flatten } from '#http/wire/flatten.ts'
import type { HeaderList } from '#http/wire/headers.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { cursorField } from './change-cursor.ts'
import { elementsText, type ListPresentation, pageBody, sliceBody } from './envelope.ts'
import { listRequest, pagingParameters } from './paging.ts'
import {
  contentTypes,
  isReduced,
  presentationParameters,
  presenter,
  validatorFields,
} from './presentation.ts'
import { type Filter, readParameters, refusedParameter } from './query.ts'
import { type ListRoute, listRoot, type Route, type Versioned } from './routes.ts'

/** Answers reads of a list as a whole, by page or by cursor. A 304 is answered without reading a row. */
export const listAnswers = (route: Route, list: ListRoute, context: ApiContext) => {
  const readRequest = listReader(route, list, context)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange } = request
    await list.requireVisible?.({ params: request.params, principal: request.admission.principal })
    const { filter, paging, presentation, query } = readRequest(request)
    // A tag would reveal hidden changes to a caller with a reduced view, and so would a cursor that differs only after a change.
    const isReducedView = isReduced(request, route.shows)
    // The position is read before any row, so that no change after it can be missing.
    const [token, position] = await Promise.all([
      isReducedView ? undefined : context.commitToken(),
      context.changes.latest(),
    ])
    const salt = isReducedView ? randomBytes(saltBytes).toString('base64url') : undefined
    const acceptEncoding = header(exchange, 'accept-encoding')
    const coding = codingForStream(acceptEncoding)
    const tag = token && listTag(token, coding ? `${presentation.variant}.${coding}` : presentation.variant)
    const validators = validatorFields(tag, route.showsSecret)
    refuseListTag(exchange)
    if (isNotModified(exchange, { tag })) return { status: 304, headers: validators }
    const headers = [
      ...validators,
      ...contentTypes[presentation.format],
      ...cursorField(context.cursors, position, salt),
    ]
    if (paging.kind === 'stream')
      return streamedAnswer(request, headers, listTexts(list.source.stream(filter as never), presentation))
    const { fields, text } =
      paging.kind === 'page'
        ? pageBody(await list.source.page(filter as never, paging.page), query(), presentation)
        : sliceBody(await list.source.slice(filter as never, paging.slice), query(), {
            ...presentation,
            size: paging.slice.size,
            makeToken: (after) => context.cursors.make(after, paging.binding),
          })
    return wholeAnswer([...headers, ...fields], text, acceptEncoding)
  }
}

const saltBytes = 6

/** Reads the filter, the paging and the presentation from a query. */
const listReader = (route: Route, list: ListRoute, context: ApiContext) => {
  const present = presenter(route.shows, context.writer)
  const parameters = {
    full: parametersOf(route, list, 'full'),
    reduced: parametersOf(route, list, 'reduced'),
  }
  return (request: AdmittedRequest) => {
    const allowed = parameters[request.admission.view]
    const { view, links, fields, page, size, sort, cursor, ...filters } = readParameters(request, allowed)
    const filter = { ...filters, ...request.params }
    const binding = JSON.stringify([route.path, filter, sort])
    const presentation: ListPresentation = {
      ...present(request, { view, links, fields }),
      writer: context.writer,
      url: request.url(),
      idProperty: list.idProperty,
      root: listRoot(route),
    }
    const query = () => repeatedParameters(request.exchange.target.query, allowed, sort)
    const paging = listRequest({ page, size, sort, cursor }, binding, context)
    return { filter, paging, presentation, query }
  }
}

/** A caller with a reduced view may sort and filter by fewer fields: order and matches would reveal hidden values. */
const parametersOf = (route: Route, { filter, sortable }: ListRoute, view: 'full' | 'reduced') => {
  const { shows } = route
  const visible = Object.keys((shows[view] ?? shows.full).properties ?? {})
  return {
    ...(view === 'full' || !shows[view] ? filter : visibleFilter(filter, visible)),
    ...presentationParameters(route),
    ...pagingParameters(sortable.filter((property) => visible.includes(property))),
  }
}

/** The parameters that links to other pages repeat: the known ones, with each sort order once. */
const repeatedParameters = (query: string, parameters: object, sort: readonly Order[] = []) => {
  const known = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(parameters, name))
  const others = known.filter(([name]) => name !== 'sort')
  const orders = sort.map(({ property, direction }) => ['sort', `${property},${direction}`])
  return new URLSearchParams([...others, ...orders])
}

const visibleFilter = (filter: Filter, visible: readonly string[]): Filter =>
  Object.fromEntries(
    Object.entries(filter).map(([name, parameter]) => {
      const isVisible = parameter.comparedFields?.every((field) => visible.includes(field)) ?? false
      return [name, isVisible ? parameter : refusedParameter(parameter)]
    }),
  )

const wholeAnswer = (headers: HeaderList, text: string, acceptEncoding: string | undefined) =>
  textAnswer(headers, text, codingForText(acceptEncoding, text))

/** Streams a list. A list of one batch is sent in one piece instead. */
const streamedAnswer = async (
  request: AdmittedRequest,
  headers: HeaderList,
  texts: AsyncGenerator<string>,
): Promise<Answer> => {
  const acceptEncoding = header(request.exchange, 'accept-encoding')
  const first = await texts.next()
  const second = await texts.next()
  if (second.done) return wholeAnswer(headers, first.value ?? '', acceptEncoding)
  const coding = codingForStream(acceptEncoding)
  const body = whileAdmitted(request, continueWith([first.value, second.value], texts))
  if (!coding) return { status: 200, headers, body }
  const codedHeaders = [...headers, 'Content-Encoding', coding]
  return { status: 200, headers: codedHeaders, body: compressStream(body, coding) }
}

/**
 * The text of a list, batch by batch. A list of one batch is one text, with its brackets. A text that waits is flattened: the
 * garbage collector would stop the process while it visits the thousands of strings that a concatenated string consists of. Only
 * texts of the first batch are cached, because later items are rarely shown again.
 */
const listTexts = async function* (
  batches: AsyncIterable<readonly Versioned[]>,
  presentation: ListPresentation,
): AsyncGenerator<string> {
  const { opening, separator, closing } = brackets(presentation)
  let pendingText: string | undefined
  let prefix = opening
  let write = presentation.writer.element
  for await (const batch of batches) {
    if (pendingText !== undefined) yield pendingText
    pendingText = flatten(prefix + elementsText(batch, presentation, write))
    prefix = separator
    write = presentation.writer.uncachedElement
  }
  yield (pendingText ?? opening) + closing
}

/** Yields the texts that were already read, and then the rest. */
const continueWith = async function* (
  first: readonly string[],
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield* first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

const brackets = ({ format, root }: ListPresentation) =>
  format === 'xml'
    ? { opening: `${xmlPrologue}<${root}>`, separator: '', closing: `</${root}>` }
    : { opening: '[', separator: ',', closing: ']' }

/** Breaks the list off when the caller loses the right to see it. */
async function* whileAdmitted({ admission, admitAgain }: AdmittedRequest, texts: AsyncGenerator<string>) {
  for await (const text of texts) {
    const { view } = await admitAgain()
    if (view !== admission.view) throw new Problem('forbidden')
    yield text
  }
}
