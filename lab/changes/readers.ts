import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, NoAnswer } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import type { Random } from '#lab/random.ts'
import type { Change } from '../../src/client/messages.ts'
import { messageOf } from '../../src/core/cause.ts'
import type { ListRead, Reading, Value } from './observed.ts'
import { titleWords } from './writers.ts'

export interface ReaderContext {
  readonly clients: readonly Client[]
  readonly random: Random
  readonly stopped: AbortSignal
  /** Collects mistakes of the feed. */
  readonly complain: (says: string) => void
  /** Called when a cursor is gone (410); the reader then begins anew. By default, a 410 is a mistake. */
  readonly anew?: (reading: Reading) => void
}

interface Begun {
  readonly types?: readonly string[] | undefined
  readonly after?: number | undefined
  readonly isPart?: boolean
}

export const newReading = (how: string, { types, after, isPart = false }: Begun = {}): Reading => ({
  ...{ how, types, after, isPart },
  ...{ told: [], places: [], looks: [] },
})

const maxStreamMs = 1_500
const pauseMs = 30
const slowMs = 200
const maxPage = 50

/** Follows the feed by streams that break off now and then. Each goes to a random instance. */
export const followStream = async (reading: Reading, watching: ReaderContext) => {
  while (!watching.stopped.aborted)
    await streamOnce(reading, watching).catch((error) => {
      if (error instanceof SyntaxError) watching.complain(`a stream sent ${messageOf(error)}`)
      return sleep(pauseMs)
    })
}

const streamOnce = async (reading: Reading, watching: ReaderContext) => {
  const { clients, random, stopped } = watching
  const cursor = reading.places.at(-1)?.cursor
  const response = await fetch(`${random.pick(clients).base}${prefix}/changes?${queryOf(reading, {})}`, {
    headers: { accept: 'text/event-stream', ...(cursor && { 'last-event-id': cursor }) },
    signal: AbortSignal.any([stopped, AbortSignal.timeout(random.int(maxStreamMs))]),
  })
  if (response.status !== 200) return refused(reading, response.status, watching)
  let text = ''
  let unit: Change[] = []
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + piece).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, data] = /^data: (.*"sequence".*)$/m.exec(event) ?? []
      const [, cursor] = /^id: (\S+)$/m.exec(event) ?? []
      if (data) unit.push(JSON.parse(data))
      if (!cursor) continue
      reading.told.push(...unit)
      reading.places.push({ cursor, count: reading.told.length })
      unit = []
    }
  }
}

/** Follows the feed by pages of random length, each waiting this many seconds for the next change. */
export const followPages = async (reading: Reading, watching: ReaderContext, wait: number) => {
  const { clients, random, stopped } = watching
  while (!stopped.aborted) {
    const cursor = reading.places.at(-1)?.cursor
    const more = await pageOnce(random.pick(clients), reading, { cursor, wait, watching }).catch(unanswered)
    if (!more) await sleep(pauseMs)
  }
}

/** Reads from the oldest change to the end, again and again, more slowly than the log is swept. */
export const readSlowly = async (readings: Reading[], watching: ReaderContext) => {
  const { clients, random, stopped } = watching
  while (!stopped.aborted) {
    const reading = newReading('slow page', { isPart: true })
    readings.push(reading)
    for (let more: boolean | undefined = true; more && !stopped.aborted; await sleep(random.int(slowMs))) {
      const cursor = reading.places.at(-1)?.cursor
      more = await pageOnce(random.pick(clients), reading, { cursor, wait: 0, watching }).catch(unanswered)
    }
  }
}

/** Reads on from a cursor to the end, or for a few pages. */
export const resume = async (
  client: Client,
  reading: Reading,
  cursor: string | undefined,
  watching: ReaderContext,
) => {
  const maxPages = reading.isPart ? 3 : Number.POSITIVE_INFINITY
  let at = cursor
  for (let pages = 0; pages < maxPages; pages++) {
    const more = await pageOnce(client, reading, { cursor: at, wait: 0, watching })
    at = reading.places.at(-1)?.cursor
    if (!more) break
  }
  return reading
}

interface PageRequest {
  readonly cursor: string | undefined
  readonly wait: number
  readonly watching: ReaderContext
}

/** True if there is more. */
const pageOnce = async (client: Client, reading: Reading, { cursor, wait, watching }: PageRequest) => {
  const size = 1 + watching.random.int(maxPage)
  const query = queryOf(reading, { size, wait, ...(cursor && { after: cursor }) })
  const begunMs = performance.now()
  const answer = await client.ask({ method: 'GET', path: `${prefix}/changes?${query}` })
  if (answer.status !== 200) return refused(reading, answer.status, watching)
  const page: { content: Change[]; cursor: string; more: boolean } = JSON.parse(answer.body)
  reading.told.push(...page.content)
  const count = reading.told.length
  reading.places.push({ cursor: page.cursor, count })
  if (!page.more) reading.looks.push({ begunMs, count })
  return page.more
}

const queryOf = ({ types }: Reading, parameters: Record<string, string | number>) =>
  new URLSearchParams({
    ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
    ...(types && { types: types.join() }),
  })

/** A reader may meet a service that is unavailable. Where nothing is lost, its cursor is never gone. */
const refused = (reading: Reading, status: number, { complain, anew }: ReaderContext) => {
  if (status === 410 && anew) anew(reading)
  else if (status < 500) complain(`${reading.how} was refused with ${status}`)
  return false
}

const unanswered = (error: unknown) => {
  if (error instanceof NoAnswer) return undefined
  throw error
}

/** Lists records by random filters. */
export const listOften = async (lists: ListRead[], { clients, random, stopped, complain }: ReaderContext) => {
  while (!stopped.aborted) {
    const { room, filter } = random.pick(filters)(random)
    const begunMs = performance.now()
    const path = `${prefix}/${room}?${new URLSearchParams(filter)}`
    const answer = await random.pick(clients).ask({ method: 'GET', path }).catch(unanswered)
    const cursor = answer?.headers['change-cursor']?.toString()
    if (answer && answer.status === 200 && cursor)
      lists.push({ room, filter, begunMs, rows: JSON.parse(answer.body) as Value[], cursor })
    else if (answer && answer.status < 500) complain(`${path} was answered with ${answer.status}`)
    await sleep(pauseMs)
  }
}

const filters: readonly ((random: Random) => Pick<ListRead, 'room' | 'filter'>)[] = [
  () => ({ room: 'todos', filter: {} }),
  (random) => ({ room: 'todos', filter: { finished: String(random.chance(2)) } }),
  (random) => ({ room: 'todos', filter: { title: random.pick(titleWords) } }),
  () => ({ room: 'members', filter: {} }),
  (random) => ({ room: 'members', filter: { genderCode: String(random.int(3)) } }),
  (random) => ({ room: 'members', filter: { name: random.pick(titleWords) } }),
]
