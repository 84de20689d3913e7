import { overloaded, Problem } from '#core/problem.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { cacheControlValue, fieldList, varyValue } from '#http/wire/headers.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import {
  type Change,
  type ChangeFilter,
  type ChangePage,
  idEndOf,
  isSameUnit,
  type Position,
} from './change.ts'
import type { Rules } from './rules.ts'

export interface FeedRequest {
  readonly filter: ChangeFilter
  readonly size: number
  readonly start: Position
  readonly textOf: (change: Change) => string
  /** The cursor of a position, for the same filter. */
  readonly cursorOf: (position: Position) => string
}

const maxStreams = 100

/** The maximum per principal, except for `anyone`: with `ACCESS=open`, all callers are this one. */
const maxStreamsOfOne = 20

const retryMs = 2_000
const bookmarkMs = 20_000
const maxStreamMs = 900_000
const batchSize = 100

/** How often the rights of the caller are checked again. */
const admissionMs = 1_000

/** The streams of a process. A reader that takes nothing for `unreadMs` is cut off. */
export const openStreams = ({ unreadMs = 20_000 } = {}) => {
  /** The names of the readers. */
  const readers: string[] = []
  return {
    unreadMs,
    cut: 0,
    readers,
    get open() {
      return readers.length
    },
  }
}

export type Streams = ReturnType<typeof openStreams>

/**
 * A stream of events that begins with this page. It ends after a while, when the service stops, or when its caller loses the right
 * to read it. A reader that was cut off can continue from its last cursor.
 */
export const eventStream = (request: AdmittedRequest, asked: FeedRequest, stream: StreamParts): Answer => {
  const { streams } = stream.rules
  const { kind, name } = request.admission.principal
  const own = streams.readers.filter((reader) => reader === name)
  if (streams.open >= maxStreams || (own.length >= maxStreamsOfOne && kind !== 'anyone')) throw overloaded()
  streams.readers.push(name)
  return { status: 200, headers, body: events(request, asked, stream) }
}

const headers = fieldList({
  'Content-Type': 'text/event-stream',
  'Cache-Control': cacheControlValue,
  Vary: varyValue,
  'X-Accel-Buffering': 'no',
})

interface StreamParts {
  readonly first: ChangePage
  /** The number of arrivals before `first` was read. */
  readonly arrived: number
  readonly rules: Rules
}

async function* events(
  request: AdmittedRequest,
  asked: FeedRequest,
  { first, arrived, rules }: StreamParts,
): AsyncGenerator<string> {
  const { changes, clock, streams } = rules
  const { name } = request.admission.principal
  const { signal, release } = untilGone(request.exchange)
  const endAt = clock.now() + maxStreamMs
  const isOver = () => changes.hasEnded() || signal.aborted || clock.now() >= endAt
  const cut = () => {
    streams.cut++
    request.exchange.outgoing.destroy()
  }
  let unread: NodeJS.Timeout | undefined
  let bookmarkAtMs = 0
  let since = arrived
  let page: ChangePage | undefined = first
  try {
    yield `retry: ${retryMs}\n\n`
    while (page) {
      const { position, hasMore } = page
      let text = eventsOf(page, asked)
      if (!hasMore && performance.now() >= bookmarkAtMs) {
        text += bookmark(position, asked)
        bookmarkAtMs = performance.now() + bookmarkMs
      }
      if (text !== '') {
        unread = setTimeout(cut, streams.unreadMs)
        yield text
        clearTimeout(unread)
      }
      for (;;) {
        if (isOver()) return
        const leftMs = bookmarkAtMs - performance.now()
        if (!hasMore) await changes.nextArrival(since, Math.min(leftMs, admissionMs), signal)
        if (hasMore || changes.arrivalCount() !== since || performance.now() >= bookmarkAtMs) break
        await request.admitAgain()
      }
      since = changes.arrivalCount()
      // Until the first bookmark, asks the database, which knows the end of the log.
      const read = bookmarkAtMs === 0 ? changes.read : changes.readFromMemory
      page = await read(position, asked.filter, batchSize)
      // The right may have been withdrawn before this page was read.
      await request.admitAgain()
    }
  } catch (error) {
    // A refusal ends the stream, and the next request gets its reason. Any other error breaks the stream off and is logged.
    if (!(error instanceof Problem)) throw error
  } finally {
    clearTimeout(unread)
    streams.readers.splice(streams.readers.indexOf(name), 1)
    release()
  }
}

/** Only the last change of a unit has a cursor, so a reader that is cut off within a unit gets the whole unit again. */
const eventsOf = ({ changes, position }: ChangePage, { textOf, cursorOf }: FeedRequest) =>
  changes
    .map((change, at) => {
      const { number, type, id } = change
      const isLast = !isSameUnit(change, changes[at + 1])
      const cursor = isLast ? `id: ${cursorOf({ ...position, number, idEnd: idEndOf(id) })}\n` : ''
      return `${cursor}event: ${type}\ndata: ${textOf(change)}\n\n`
    })
    .join('')

const bookmark = (position: Position, { cursorOf }: FeedRequest) => {
  const cursor = cursorOf(position)
  return `id: ${cursor}\nevent: bookmark\ndata: ${JSON.stringify({ cursor })}\n\n`
}

interface Watch {
  readonly signal: AbortSignal
  release(): void
}

/** Aborts when the caller has gone. A caller that closed only its sending side counts as gone, because it could hold a stream for long. */
export const untilGone = ({ incoming: { socket }, outgoing }: Exchange): Watch => {
  const gone = new AbortController()
  const go = () => gone.abort()
  outgoing.once('close', go)
  socket.once('end', go)
  return {
    signal: gone.signal,
    release() {
      outgoing.off('close', go)
      socket.off('end', go)
    },
  }
}
