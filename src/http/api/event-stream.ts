import { overloaded, Problem } from '#core/problem.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { cacheControlValue, fieldList, varyValue } from '#http/wire/headers.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import type { Change, ChangeFilter, ChangePage, Position } from './change.ts'
import { idSuffixOf, isSameUnit } from './change.ts'

export interface FeedRequest {
  readonly filter: ChangeFilter
  readonly size: number
  readonly start: Position
  readonly textOf: (change: Change) => string
  /** The cursor of a position, for the same filter. */
  readonly cursorOf: (position: Position) => string
}

const maxStreams = 100

/** Does not apply to `anyone`, which is every caller with `ACCESS=open`. */
const maxStreamsPerPrincipal = 20

const retryMs = 2_000
const bookmarkMs = 20_000
const maxStreamMs = 900_000
const pageSize = 100

/** The time between two checks of the caller's rights. */
const admissionCheckMs = 1_000

/** Registers the principal of each open stream of this process. A client that reads nothing for `unreadMs` is cut off. */
export const streamRegistry = ({ unreadMs = 20_000 } = {}) => {
  const principalNames: string[] = []
  return {
    unreadMs,
    cutOffCount: 0,
    principalNames,
    get count() {
      return principalNames.length
    },
  }
}

export type Streams = ReturnType<typeof streamRegistry>

/**
 * Answers with a stream of events that begins with this page. It ends after a while, when the service stops, or when the caller
 * loses the right to read it. A client that was cut off can continue from its last cursor.
 */
export const eventStream = (request: AdmittedRequest, feed: FeedRequest, start: StreamStart): Answer => {
  const { streams } = start.context
  const { kind, name } = request.admission.principal
  const ownStreams = streams.principalNames.filter((reader) => reader === name)
  if (streams.count >= maxStreams || (ownStreams.length >= maxStreamsPerPrincipal && kind !== 'anyone'))
    throw overloaded()
  streams.principalNames.push(name)
  return { status: 200, headers, body: events(request, feed, start) }
}

const headers = fieldList({
  'Content-Type': 'text/event-stream',
  'Cache-Control': cacheControlValue,
  Vary: varyValue,
  'X-Accel-Buffering': 'no',
})

interface StreamStart {
  readonly firstPage: ChangePage
  /** The number of notifications before `firstPage` was read. */
  readonly arrivalCount: number
  readonly context: ApiContext
}

async function* events(
  request: AdmittedRequest,
  feed: FeedRequest,
  { firstPage, arrivalCount, context }: StreamStart,
): AsyncGenerator<string> {
  const { changes, clock, streams } = context
  const { name } = request.admission.principal
  const { signal, release } = watchForDisconnect(request.exchange)
  const endAt = clock.now() + maxStreamMs
  const isOver = () => changes.isStopping() || signal.aborted || clock.now() >= endAt
  const cutOff = () => {
    streams.cutOffCount++
    request.exchange.outgoing.destroy()
  }
  let unreadTimer: NodeJS.Timeout | undefined
  let bookmarkAtMs = 0
  let since = arrivalCount
  let page: ChangePage | undefined = firstPage
  try {
    yield `retry: ${retryMs}\n\n`
    while (page) {
      const { position, hasMore } = page
      let text = eventsOf(page, feed)
      if (!hasMore && performance.now() >= bookmarkAtMs) {
        text += bookmark(position, feed)
        bookmarkAtMs = performance.now() + bookmarkMs
      }
      if (text !== '') {
        unreadTimer = setTimeout(cutOff, streams.unreadMs)
        yield text
        clearTimeout(unreadTimer)
      }
      for (;;) {
        if (isOver()) return
        const leftMs = bookmarkAtMs - performance.now()
        if (!hasMore) await changes.nextArrival(since, Math.min(leftMs, admissionCheckMs), signal)
        if (hasMore || changes.arrivalCount() !== since || performance.now() >= bookmarkAtMs) break
        await request.admitAgain()
      }
      since = changes.arrivalCount()
      // Reads from the database until the first bookmark, because memory may lack the newest changes.
      const read = bookmarkAtMs === 0 ? changes.read : changes.readFromMemory
      page = await read(position, feed.filter, pageSize)
      // The right may have been withdrawn before this page was read.
      await request.admitAgain()
    }
  } catch (error) {
    // If the caller is refused, the stream ends, and the client gets the reason when it reconnects. Other errors are logged.
    if (!(error instanceof Problem)) throw error
  } finally {
    clearTimeout(unreadTimer)
    streams.principalNames.splice(streams.principalNames.indexOf(name), 1)
    release()
  }
}

/** Only the last change of a request has a cursor: a client that was cut off earlier receives all changes of the request again. */
const eventsOf = ({ changes, position }: ChangePage, { textOf, cursorOf }: FeedRequest) =>
  changes
    .map((change, at) => {
      const { number, type, id } = change
      const isLast = !isSameUnit(change, changes[at + 1])
      const cursor = isLast ? `id: ${cursorOf({ ...position, number, idSuffix: idSuffixOf(id) })}\n` : ''
      return `${cursor}event: ${type}\ndata: ${textOf(change)}\n\n`
    })
    .join('')

const bookmark = (position: Position, { cursorOf }: FeedRequest) => {
  const cursor = cursorOf(position)
  return `id: ${cursor}\nevent: bookmark\ndata: ${JSON.stringify({ cursor })}\n\n`
}

interface DisconnectWatch {
  readonly signal: AbortSignal
  release(): void
}

/** Aborts when the caller disconnects or closes its sending side: in that state it could keep a stream open for long. */
export const watchForDisconnect = ({ incoming: { socket }, outgoing }: Exchange): DisconnectWatch => {
  const disconnected = new AbortController()
  const abort = () => disconnected.abort()
  outgoing.once('close', abort)
  socket.once('end', abort)
  return {
    signal: disconnected.signal,
    release() {
      outgoing.off('close', abort)
      socket.off('end', abort)
    },
  }
}
