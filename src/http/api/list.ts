import { randomBytes } from 'node:crypto'
import type { Order } from '#core/page.ts'
import { Problem } from '#core/problem.ts'
import { isNotModified, listTag, refuseMatch } from '#http/message/conditional.ts'
import { codingFor, codingOf, compressStream, textAnswer } from '#http/message/representation/compression.ts'
import { xmlPrologue } from '#http/message/representation/xml-write.ts'
import type { Answer } from '#http/wire/answer.ts'
import { header } from '#http/wire/exchange.ts'
import { flatten } from '#http/wire/flatten.ts'
import type { HeaderList } from '#http/wire/headers.ts'
import { cursorField } from './change-cursor.ts'
import { elements, type ListPresentation, pageBody, sliceBody } from './envelope.ts'
import { listRequest, pagingParameters } from './paging.ts'
import { closedParameter, type Filter, readParameters } from './query.ts'
import { type ListRoute, listRoot, type Route, type Versioned } from './routes.ts'
import type { Rules } from './rules.ts'
import { contentTypes, isReduced, showingParameters, showings, validatorFields } from './showing.ts'
import type { Visit } from './visit.ts'

/** Answers reads of a list: as a whole, by page, or by cursor; or with 304, without reading a row. */
export const listAnswers = (route: Route, list: ListRoute, rules: Rules) => {
  const { shows, isSecret } = route
  const read = listReader(route, list, rules)
  return async (visit: Visit): Promise<Answer> => {
    const { exchange } = visit
    await list.requires?.({ params: visit.params, principal: visit.admission.principal })
    const { filter, request, presentation, query } = read(visit)
    // To a caller with a reduced view, a tag would reveal hidden changes, and so would a cursor that changes only with them.
    const hides = isReduced(visit, shows)
    // The position is read before any row.
    const [state, position] = await Promise.all([hides ? undefined : rules.state(), rules.changes.latest()])
    const salt = hides ? randomBytes(saltBytes).toString('base64url') : undefined
    const accepted = header(exchange, 'accept-encoding')
    const coding = codingOf(accepted)
    const tag = state && listTag(state, coding ? `${presentation.variant}.${coding}` : presentation.variant)
    const validators = validatorFields(tag, isSecret)
    refuseMatch(exchange)
    if (isNotModified(exchange, { tag })) return { status: 304, headers: validators }
    const headers = [
      ...validators,
      ...contentTypes[presentation.form],
      ...cursorField(rules.cursors, position, salt),
    ]
    if (request.kind === 'stream')
      return streamed(visit, headers, listTexts(list.source.stream(filter as never), presentation))
    const { fields, text } =
      request.kind === 'page'
        ? pageBody(await list.source.page(filter as never, request.page), query(), presentation)
        : sliceBody(await list.source.slice(filter as never, request.slice), query(), {
            ...presentation,
            size: request.slice.size,
            token: (after) => rules.cursors.make(after, request.binding),
          })
    return whole([...headers, ...fields], text, accepted)
  }
}

const saltBytes = 6

/** Reads what a request asks for, and how it is shown. */
const listReader = (route: Route, list: ListRoute, rules: Rules) => {
  const showing = showings(route.shows, rules.writer)
  const parameters = {
    full: parametersOf(route, list, 'full'),
    reduced: parametersOf(route, list, 'reduced'),
  }
  return (visit: Visit) => {
    const known = parameters[visit.admission.sees]
    const { view, links, fields, page, size, sort, cursor, ...given } = readParameters(visit, known)
    const filter = { ...given, ...visit.params }
    const binding = JSON.stringify([route.path, filter, sort])
    const presentation: ListPresentation = {
      ...showing(visit, { view, links, fields }),
      writer: rules.writer,
      url: visit.url(),
      names: list.names,
      root: listRoot(route),
    }
    const query = () => repeated(visit.exchange.target.query, known, sort)
    return { filter, request: listRequest({ page, size, sort, cursor }, binding, rules), presentation, query }
  }
}

/** A caller with a reduced view may sort and filter by fewer fields: order and matches would reveal hidden values. */
const parametersOf = (route: Route, { filter, sortable }: ListRoute, sees: 'full' | 'reduced') => {
  const { shows } = route
  const visible = Object.keys((shows[sees] ?? shows.full).properties ?? {})
  return {
    ...(sees === 'full' || !shows[sees] ? filter : openFilter(filter, visible)),
    ...showingParameters(route),
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
  textAnswer(headers, text, codingFor(accepted, text))

/** Sends a list that fits in one batch in one piece. */
const streamed = async (
  visit: Visit,
  headers: HeaderList,
  texts: AsyncGenerator<string>,
): Promise<Answer> => {
  const accepted = header(visit.exchange, 'accept-encoding')
  const first = await texts.next()
  const second = await texts.next()
  if (second.done) return whole(headers, first.value ?? '', accepted)
  const coding = codingOf(accepted)
  const body = whileAdmitted(visit, ahead([first.value, second.value], texts))
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
    write = presentation.writer.oneOffElement
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

const brackets = ({ form, root }: ListPresentation) =>
  form === 'xml'
    ? { opening: `${xmlPrologue}<${root}>`, separator: '', closing: `</${root}>` }
    : { opening: '[', separator: ',', closing: ']' }

/** Breaks the list off when the caller loses its right to see it. */
async function* whileAdmitted({ admission, admitAgain }: Visit, texts: AsyncGenerator<string>) {
  for await (const text of texts) {
    const { sees } = await admitAgain()
    if (sees !== admission.sees) throw new Problem('forbidden')
    yield text
  }
}
