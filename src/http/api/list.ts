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
import { cursorField } from './change-cursor.ts'
import { elements, type ListPresentation, pageBody, sliceBody } from './envelope.ts'
import { listRequest, pagingParameters } from './paging.ts'
import {
  contentTypes,
  isReduced,
  presentationParameters,
  presenter,
  validatorFields,
} from './presentation.ts'
import { closedParameter, type Filter, readParameters } from './query.ts'
import { type ListRoute, listRoot, type Route, type Versioned } from './routes.ts'
import type { Rules } from './rules.ts'

/** Answers reads of a list: as a whole, by page, or by cursor; or with 304, without reading a row. */
export const listAnswers = (route: Route, list: ListRoute, rules: Rules) => {
  const { shows, showsSecret } = route
  const read = listReader(route, list, rules)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange } = request
    await list.requires?.({ params: request.params, principal: request.admission.principal })
    const { filter, paging, presentation, query } = read(request)
    // To a caller with a reduced view, a tag would reveal hidden changes, and so would a cursor that changes only with them.
    const hides = isReduced(request, shows)
    // The position is read before any row.
    const [state, position] = await Promise.all([hides ? undefined : rules.state(), rules.changes.latest()])
    const salt = hides ? randomBytes(saltBytes).toString('base64url') : undefined
    const accepted = header(exchange, 'accept-encoding')
    const coding = codingForStream(accepted)
    const tag = state && listTag(state, coding ? `${presentation.variant}.${coding}` : presentation.variant)
    const validators = validatorFields(tag, showsSecret)
    refuseListTag(exchange)
    if (isNotModified(exchange, { tag })) return { status: 304, headers: validators }
    const headers = [
      ...validators,
      ...contentTypes[presentation.format],
      ...cursorField(rules.cursors, position, salt),
    ]
    if (paging.kind === 'stream')
      return streamed(request, headers, listTexts(list.source.stream(filter as never), presentation))
    const { fields, text } =
      paging.kind === 'page'
        ? pageBody(await list.source.page(filter as never, paging.page), query(), presentation)
        : sliceBody(await list.source.slice(filter as never, paging.slice), query(), {
            ...presentation,
            size: paging.slice.size,
            token: (after) => rules.cursors.make(after, paging.binding),
          })
    return whole([...headers, ...fields], text, accepted)
  }
}

const saltBytes = 6

/** Reads what a request asks for, and how it is shown. */
const listReader = (route: Route, list: ListRoute, rules: Rules) => {
  const present = presenter(route.shows, rules.writer)
  const parameters = {
    full: parametersOf(route, list, 'full'),
    reduced: parametersOf(route, list, 'reduced'),
  }
  return (request: AdmittedRequest) => {
    const known = parameters[request.admission.sees]
    const { view, links, fields, page, size, sort, cursor, ...given } = readParameters(request, known)
    const filter = { ...given, ...request.params }
    const binding = JSON.stringify([route.path, filter, sort])
    const presentation: ListPresentation = {
      ...present(request, { view, links, fields }),
      writer: rules.writer,
      url: request.url(),
      names: list.names,
      root: listRoot(route),
    }
    const query = () => repeated(request.exchange.target.query, known, sort)
    return { filter, paging: listRequest({ page, size, sort, cursor }, binding, rules), presentation, query }
  }
}

/** A caller with a reduced view may sort and filter by fewer fields: order and matches would reveal hidden values. */
const parametersOf = (route: Route, { filter, sortable }: ListRoute, sees: 'full' | 'reduced') => {
  const { shows } = route
  const visible = Object.keys((shows[sees] ?? shows.full).properties ?? {})
  return {
    ...(sees === 'full' || !shows[sees] ? filter : openFilter(filter, visible)),
    ...presentationParameters(route),
    ...pagingParameters(sortable.filter((property) => visible.includes(property))),
  }
}

/** The part of a query that links repeat: the known parameters, with each sort order once. */
const repeated = (query: string, parameters: object, sort: readonly Order[] = []) => {
  const known = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(parameters, name))
  const others = known.filter(([name]) => name !== 'sort')
  const orders = sort.map(({ property, direction }) => ['sort', `${property},${direction}`])
  return new URLSearchParams([...others, ...orders])
}

const openFilter = (filter: Filter, visible: readonly string[]): Filter =>
  Object.fromEntries(
    Object.entries(filter).map(([name, parameter]) => {
      const isOpen = parameter.comparedFields?.every((field) => visible.includes(field)) ?? false
      return [name, isOpen ? parameter : closedParameter(parameter)]
    }),
  )

const whole = (headers: HeaderList, text: string, accepted: string | undefined) =>
  textAnswer(headers, text, codingForText(accepted, text))

/** Sends a list that fits in one batch in one piece. */
const streamed = async (
  request: AdmittedRequest,
  headers: HeaderList,
  texts: AsyncGenerator<string>,
): Promise<Answer> => {
  const accepted = header(request.exchange, 'accept-encoding')
  const first = await texts.next()
  const second = await texts.next()
  if (second.done) return whole(headers, first.value ?? '', accepted)
  const coding = codingForStream(accepted)
  const body = whileAdmitted(request, ahead([first.value, second.value], texts))
  if (!coding) return { status: 200, headers, body }
  return {
    status: 200,
    headers: [...headers, 'Content-Encoding', coding],
    body: compressStream(body, coding),
  }
}

/**
 * The text of a list, batch by batch; a list of one batch is one text, brackets included. A text that has to wait is
 * flattened: otherwise the garbage collector would stop everything while it visits thousands of pieces. Items after the
 * first batch are not expected to be shown again, so their texts are not kept.
 */
const listTexts = async function* (
  batches: AsyncIterable<readonly Versioned[]>,
  presentation: ListPresentation,
): AsyncGenerator<string> {
  const { opening, separator, closing } = brackets(presentation)
  let waiting: string | undefined
  let before = opening
  let write = presentation.writer.element
  for await (const batch of batches) {
    if (waiting !== undefined) yield waiting
    waiting = flatten(before + elements(batch, presentation, write))
    before = separator
    write = presentation.writer.uncachedElement
  }
  yield (waiting ?? opening) + closing
}

/** The texts already read, followed by the rest. */
const ahead = async function* (
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

/** Breaks the list off when the caller loses its right to see it. */
async function* whileAdmitted({ admission, admitAgain }: AdmittedRequest, texts: AsyncGenerator<string>) {
  for await (const text of texts) {
    const { sees } = await admitAgain()
    if (sees !== admission.sees) throw new Problem('forbidden')
    yield text
  }
}
