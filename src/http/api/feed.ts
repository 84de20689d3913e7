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
import type { ApiContext } from './api-context.ts'
import type { Change, ChangeFilter, Changes, Position } from './change.ts'
import { cursorFor, cursorPosition } from './change-cursor.ts'
import { changePageSchema, changeSchema, cloudEvent } from './cloud-event.ts'
import { eventStream, type FeedRequest, watchForDisconnect } from './event-stream.ts'
import { feedParameters } from './feed-parameters.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import { readParameters } from './query.ts'
import type { Route } from './routes.ts'

export const wantsEvents = (exchange: Exchange) =>
  exchange.suffix === undefined &&
  header(exchange, 'accept')?.includes(eventType) === true &&
  chooseMediaType(header(exchange, 'accept'), [mediaTypes.json, mediaTypes.xml, eventType]) === eventType

const eventType = 'text/event-stream'

/** Answers reads of the log with a page, with a page that waits for the next change, or with a stream. */
export const feedAnswers = (route: Route, types: readonly string[], context: ApiContext) => {
  const parameters = feedParameters(types, context.timeZone)
  const { changes, cursors, writer } = context
  const goneProblem = goneProblems(route, context)
  // Each change is written once for all streams.
  const textOf = memoizeByObject((change: Change) =>
    writer.element(cloudEvent(change, context), { schema: changeSchema, format: 'json' }),
  )
  const answer = async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange, format } = request
    const values = readParameters(request, parameters)
    const { after, size = pageSize, wait = 0, types, id, by, timeFrom, timeTo } = values
    const filter: ChangeFilter = { types, id, author: by, timeFrom, timeTo }
    const isStream = wantsEvents(exchange)
    const before = isStream ? undefined : values.before
    if (before !== undefined && after !== undefined) throw beforeWithAfter()
    if (isStream || wait > 0) await changes.follow()
    const lastSeen = isStream ? header(exchange, 'last-event-id') : undefined
    const cursor =
      before === undefined ? { target: 'after', token: after } : { target: 'before', token: before }
    const feed: FeedRequest = {
      filter,
      size: Math.min(size, context.pageSizeMax),
      start: await startOf(
        lastSeen === undefined ? cursor : { target: 'Last-Event-ID', token: lastSeen },
        filter,
        context,
      ),
      textOf,
      cursorOf: (position) => cursorFor(cursors, filter, position),
    }
    const arrivalCount = changes.arrivalCount()
    const page =
      before === undefined
        ? await pageAfter(request, feed, isStream ? 0 : wait, changes)
        : await changes.readBackwards(feed.start, filter, feed.size)
    // The oldest change may be deleted by the sweep before it is read, so this starts again with the next oldest.
    if (!page && (lastSeen ?? before ?? after) === undefined) return answer(request)
    if (!page) throw goneProblem(request)
    if (isStream) return eventStream(request, feed, { firstPage: page, arrivalCount, context })
    const { position, hasMore } = page
    const body = {
      content: page.changes.map((change) => cloudEvent(change, context)),
      cursor: feed.cursorOf(position),
      more: hasMore,
    }
    const text = writer.document(body, { schema: changePageSchema, format })
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
  { target, token }: { readonly target: string; readonly token: string | undefined },
  filter: ChangeFilter,
  { changes, cursors }: ApiContext,
): Promise<Position> => {
  if (token === undefined) return changes.oldest()
  if (token === 'latest') return changes.latest()
  const position = cursorPosition(cursors, filter, token)
  if (!position) throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.changeCursor', target }])
  return position
}

/** The page after the start. If it is empty, waits for a change, for as long as the caller wishes or until the service stops. */
const pageAfter = async (request: AdmittedRequest, feed: FeedRequest, seconds: number, changes: Changes) => {
  const { start, filter, size } = feed
  if (seconds === 0) return changes.read(start, filter, size)
  return withoutSilenceLimit(request.exchange, async (signal) => {
    const untilMs = performance.now() + seconds * 1000
    let after = start
    // Only the first and the last page are read from the database: memory may lack changes, and a thousand readers may wait.
    for (let read = changes.read; ; read = changes.readFromMemory) {
      const since = changes.arrivalCount()
      const leftMs = untilMs - performance.now()
      const isLast = leftMs <= 0 || signal.aborted || changes.isStopping()
      const page = await (isLast ? changes.read : read)(after, filter, size)
      if (!page || page.changes.length > 0 || page.hasMore || isLast) {
        // The right may have been withdrawn before this page was read.
        await request.admitAgain()
        return page
      }
      await changes.nextArrival(since, leftMs, signal)
      after = page.position
    }
  })
}

/** Suspends the time limit on silent connections during the work. */
const withoutSilenceLimit = async <T>(exchange: Exchange, work: (signal: AbortSignal) => Promise<T>) => {
  const { socket } = exchange.incoming
  const { signal, release } = watchForDisconnect(exchange)
  socket.setTimeout?.(0)
  try {
    return await work(signal)
  } finally {
    release()
    socket.setTimeout?.(silenceTimeoutMs)
  }
}

/** The refusal of a position from which the log cannot be read. Its `Link` header names the lists that the caller must read again. */
const goneProblems = ({ path }: Route, { routes }: ApiContext) => {
  const lists = routes.filter((route) => route.list && !route.path.includes(':')).map((route) => route.path)
  return ({ url }: AdmittedRequest) => {
    const base = url().slice(0, -path.length)
    const links = lists.map((list) => ({ rel: 'collection', href: base + list }))
    const current = { rel: 'current', href: `${url()}?after=latest` }
    return new Problem('gone', { headers: { Link: linkHeader([...links, current]) } })
  }
}
