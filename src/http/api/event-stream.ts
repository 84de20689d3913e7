import { overloaded } from '#core/problem.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { cacheControl, vary } from '#http/wire/headers.ts'
import {
  type Change,
  type ChangeFilter,
  type ChangePage,
  ChangeShown,
  type FeedRules,
  markOf,
  type Position,
} from './feed.ts'
import type { Visit } from './visit.ts'

/** What a request asks of the feed. */
export interface Asked {
  readonly filter: ChangeFilter
  readonly start: Position
  /** How a change is shown. */
  readonly shown: (change: Change) => object
  /** The cursor of a position, for the same filter. */
  readonly cursorOf: (position: Position) => string
}

const maxStreams = 100
const retryMs = 2_000
const bookmarkMs = 20_000
const maxStreamMs = 900_000
const batchSize = 100

let open = 0

/**
 * A stream of events, from this page on. It ends after a while, when the service stops, and when its caller may no longer read
 * it. A reader that takes nothing is cut off by the time limit of silent connections; what it missed is in the log.
 */
export const eventStream = (visit: Visit, asked: Asked, course: Course): Answer => {
  if (open >= maxStreams) throw overloaded()
  open++
  return { status: 200, headers, body: events(visit, asked, course) }
}

const headers = [
  ...['Content-Type', 'text/event-stream'],
  ...['Cache-Control', cacheControl],
  ...['Vary', vary],
  ...['X-Accel-Buffering', 'no'],
]

interface Course {
  readonly first: ChangePage
  /** What had arrived before that was read. */
  readonly arrived: number
  readonly rules: FeedRules
}

async function* events(
  visit: Visit,
  asked: Asked,
  { first, arrived, rules }: Course,
): AsyncGenerator<string> {
  const { changes } = rules
  const { signal, release } = untilGone(visit.exchange)
  const endAtMs = performance.now() + maxStreamMs
  let bookmarkAtMs = 0
  let since = arrived
  let page: ChangePage | undefined = first
  try {
    yield `retry: ${retryMs}\n\n`
    while (page) {
      const { position, more } = page
      let text = page.changes.map((change) => event(change, position.history, asked, rules)).join('')
      const now = performance.now()
      if (!more && now >= bookmarkAtMs) {
        text += bookmark(position, asked)
        bookmarkAtMs = now + bookmarkMs
      }
      if (text !== '') yield text
      if (changes.hasEnded() || signal.aborted || now >= endAtMs) return
      if (!more) await changes.arrival(since, bookmarkAtMs - performance.now(), signal)
      since = changes.arrived()
      await visit.admitAgain()
      page = await changes.recent(position, asked.filter, batchSize)
    }
  } catch {
    // Whoever may no longer read, or cannot, learns why from the next request.
  } finally {
    open--
    release()
  }
}

const event = (change: Change, history: string, { shown, cursorOf }: Asked, { writer }: FeedRules) => {
  const cursor = cursorOf({ history, number: change.number, mark: markOf(change.id) })
  const data = writer.element(shown(change), { schema: ChangeShown, form: 'json' })
  return `id: ${cursor}\nevent: ${change.type}\ndata: ${data}\n\n`
}

const bookmark = (position: Position, { cursorOf }: Asked) => {
  const cursor = cursorOf(position)
  return `id: ${cursor}\nevent: bookmark\ndata: ${JSON.stringify({ cursor })}\n\n`
}

interface Watch {
  readonly signal: AbortSignal
  release(): void
}

/** Aborted once the caller has gone. One that has closed its sending side only is taken to be gone: it would hold a place for long. */
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
