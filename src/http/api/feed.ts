import { memoizeByObject } from '#core/once.ts'
import { Problem, parametersInvalid } from '#core/problem.ts'
import { chooseMediaType } from '#http/message/representation/accept.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import { mediaTypes } from '#http/message/representation/format.ts'
import { linkHeader } from '#http/message/representation/links.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import { silenceTimeoutMs } from '#http/wire/limits.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Change, ChangeFilter, Changes, Position } from './change.ts'
import { cursorFor, cursorPosition } from './change-cursor.ts'
import { ChangeShown, cloudEvent, FeedShown } from './cloud-event.ts'
import { eventStream, type FeedRequest, untilGone } from './event-stream.ts'
import { feedParameters } from './feed-parameters.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import { readParameters } from './query.ts'
import type { Route } from './routes.ts'
import type { Rules } from './rules.ts'

export const wantsEvents = (exchange: Exchange) =>
  exchange.suffix === undefined &&
  header(exchange, 'accept')?.includes(eventType) === true &&
  chooseMediaType(header(exchange, 'accept'), [mediaTypes.json, mediaTypes.xml, eventType]) === eventType

const eventType = 'text/event-stream'

/** Answers reads of the feed: a page at once, a page that waits for the next change, or a stream. */
export const feedAnswers = (route: Route, types: readonly string[], rules: Rules) => {
  const parameters = feedParameters(types, rules.timeZone)
  const { changes, cursors, writer } = rules
  const gone = goneAt(route, rules)
  // All streams share the text of a change.
  const textOf = memoizeByObject((change: Change) =>
    writer.element(cloudEvent(change, rules), { schema: ChangeShown, format: 'json' }),
  )
  const answer = async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange, format } = request
    const values = readParameters(request, parameters)
    const { after, size = pageSize, wait = 0, types, id, by, timeFrom, timeTo } = values
    const filter = { types, id, by, timeFrom, timeTo }
    const isStream = wantsEvents(exchange)
    const before = isStream ? undefined : values.before
    if (before !== undefined && after !== undefined) throw beforeWithAfter()
    if (isStream || wait > 0) await changes.follow()
    const lastSeen = isStream ? header(exchange, 'last-event-id') : undefined
    const given = before === undefined ? { after } : { before }
    const asked: FeedRequest = {
      filter,
      size: Math.min(size, rules.pageSizeMax),
      start: await startOf(lastSeen === undefined ? given : { 'Last-Event-ID': lastSeen }, filter, rules),
      textOf,
      cursorOf: (position) => cursorFor(cursors, filter, position),
    }
    const arrived = changes.arrivalCount()
    const page =
      before === undefined
        ? await pageAfter(request, asked, isStream ? 0 : wait, changes)
        : await changes.readBackwards(asked.start, filter, asked.size)
    // The oldest change may be swept before it is read.
    if (!page && (lastSeen ?? before ?? after) === undefined) return answer(request)
    if (!page) throw gone(request)
    if (isStream) return eventStream(request, asked, { first: page, arrived, rules })
    const { position, hasMore } = page
    const body = {
      content: page.changes.map((change) => cloudEvent(change, rules)),
      cursor: asked.cursorOf(position),
      more: hasMore,
    }
    const text = writer.document(body, { schema: FeedShown, format })
    const headers = [...validatorFields(undefined), ...contentTypes[format]]
    return textAnswer(headers, text, codingForText(header(exchange, 'accept-encoding'), text))
  }
  return answer
}

const pageSize = 20

const beforeWithAfter = () =>
  parametersInvalid([
    { code: 'Pattern', wording: 'Pattern.beside', target: 'before', args: { other: 'after' } },
  ])

/** The position of a cursor; without a cursor, the position before the oldest change. */
const startOf = async (
  given: Readonly<Record<string, string | undefined>>,
  filter: ChangeFilter,
  { changes, cursors }: Rules,
): Promise<Position> => {
  const [[target, token] = ['after', undefined]] = Object.entries(given)
  if (token === undefined) return changes.oldest()
  if (token === 'latest') return changes.latest()
  const position = cursorPosition(cursors, filter, token)
  if (!position) throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.changeCursor', target }])
  return position
}

/** The page after the start. An empty page waits as long as the caller wishes, but not while the service stops. */
const pageAfter = async (request: AdmittedRequest, asked: FeedRequest, wait: number, changes: Changes) => {
  const { start, filter, size } = asked
  if (wait === 0) return changes.read(start, filter, size)
  return whileSilent(request.exchange, async (signal) => {
    const untilMs = performance.now() + wait * 1000
    let after = start
    for (;;) {
      const since = changes.arrivalCount()
      const page = await changes.read(after, filter, size)
      // The right may have been withdrawn before this page was read.
      await request.admitAgain()
      const leftMs = untilMs - performance.now()
      if (!page || page.changes.length > 0 || page.hasMore || leftMs <= 0) return page
      if (signal.aborted || changes.hasEnded()) return page
      await changes.nextArrival(since, leftMs, signal)
      after = page.position
    }
  })
}

/** Suspends the limit on silent connections during the work. */
const whileSilent = async <T>(exchange: Exchange, work: (gone: AbortSignal) => Promise<T>) => {
  const { socket } = exchange.incoming
  const { signal, release } = untilGone(exchange)
  socket.setTimeout?.(0)
  try {
    return await work(signal)
  } finally {
    release()
    socket.setTimeout?.(silenceTimeoutMs)
  }
}

/** The refusal of a position that cannot continue, with links to the lists that the caller must read again. */
const goneAt = ({ path }: Route, { routes }: Rules) => {
  const lists = routes.filter((route) => route.list && !route.path.includes(':')).map((route) => route.path)
  return ({ url }: AdmittedRequest) => {
    const base = url().slice(0, -path.length)
    const links = lists.map((list) => ({ rel: 'collection', href: base + list }))
    const current = { rel: 'current', href: `${url()}?after=latest` }
    return new Problem('gone', { headers: { Link: linkHeader([...links, current]) } })
  }
}
