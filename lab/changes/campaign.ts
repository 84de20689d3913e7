import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '#lab/histories/checks.ts'
import { type Client, httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { random as randomOf } from '#lab/random.ts'
import { checks } from './checks.ts'
import {
  type Change,
  isOf,
  type Listed,
  numberOf,
  type Observed,
  type Value,
  type Written,
  zero,
} from './observed.ts'
import { followPages, followStream, listOften, newReading, resume, type Watching } from './readers.ts'
import { newTodo, send, type Writing, writeOnce } from './writers.ts'

export interface Campaign {
  /** The instances of one service with open access, which nobody else uses and whose log is empty. */
  readonly urls: readonly string[]
  readonly ms: number
  readonly seed?: number
  /** Makes something go wrong meanwhile. When it returns, the service must be healthy. */
  readonly disturb?: () => Promise<unknown>
  /** How often a delivery may break off. */
  readonly maxRepeats?: number
}

export interface Report {
  readonly findings: readonly Finding[]
  readonly figures: Readonly<Record<string, number>>
  /** The first cursor that a reader was given. */
  readonly first: string
}

/** The service needs these: the receiver of its webhook is here. */
export const campaignSettings = { WEBHOOK_HOSTS: '127.0.0.1' }

const writerCount = 16
const streamCount = 4
const fewTypes = ['todo.deleted', 'member.created', 'member.updated']
const quietMs = 600
const quietWrites = 2
/** An acknowledged write reaches every reader within this time. */
const liveMs = 5_000
/** After the deliverer was killed, its lease must end first. */
const deliveredMs = 30_000
/** What is given up might still be written when the log has been read. */
const answerMs = 60_000
/** A busy machine goes on until so many are acknowledged, or so long. */
const fewestWrites = 300
const slowestMs = 30_000
const resumedCursors = 40
/** A busy database refuses the deliverer a write now and then. What it had sent comes again. */
const busyRepeats = 10
/** Long enough for a second deliverer to send the same. */
const deliveryMs = 5
const askedAtOnce = 8

/** Writes and reads for a while, then holds all that readers were told against the log, and the log against the answers. */
export const runCampaign = async (campaign: Campaign): Promise<Report> => {
  const clients = campaign.urls.map((url) => httpClient(url, answerMs))
  const random = randomOf(campaign.seed ?? Date.now())
  const complaints = new Set<string>()
  const complain = (says: string) => void complaints.add(says)
  const receiver = await openReceiver()
  const writing: Writing = { clients, random, pools: { todos: [], members: [] }, written: [] }
  const body = { url: receiver.url, types: fewTypes }
  await send(writing, [{ method: 'POST', path: `${prefix}/webhooks`, body, type: 'webhook.created' }])
  const following = follow({ clients, random, complain })
  try {
    await write(writing, campaign)
    await quietly(writing, following, complain)
    await following.stop()
    const watching = { clients, random, complain, stopped: new AbortController().signal }
    const [client = httpClient('')] = clients
    const whole = await resume(client, newReading('log', { after: 0 }), undefined, watching)
    const log = whole.told
    const types = fewTypes
    const last = log.findLast(isOf(types))
    await until(() => !last || receiver.numbers.at(-1) === numberOf(last), deliveredMs)
    const observed: Observed = {
      ...{ log, written: writing.written, maxRepeats: busyRepeats + (campaign.maxRepeats ?? 0) },
      readings: [...following.readings, ...(await resumed(following, writing.written, { watching, log }))],
      lists: await placed(following.lists, watching, log),
      values: await histories(client, log),
      received: { types, numbers: receiver.numbers },
    }
    return reportOf(observed, complaints)
  } finally {
    await following.stop()
    receiver.close()
    for (const one of clients) one.close()
  }
}

const reportOf = (observed: Observed, complaints: ReadonlySet<string>): Report => {
  const { log, written, readings, lists, received } = observed
  const told = readings.reduce((sum, reading) => sum + reading.told.length, 0)
  const acknowledgedWrites = written.filter(({ expected = [] }) => expected.length > 0).length
  const findings = [
    ...[...complaints].map((says) => ({ check: 'reader', key: '', says })),
    ...checks.flatMap((check) => check(observed)),
  ]
  return {
    findings,
    figures: {
      changes: log.length,
      acknowledgedWrites,
      told,
      lists: lists.length,
      delivered: received.numbers.length,
    },
    first: readings[0]?.places[0]?.cursor ?? '',
  }
}

const write = async (writing: Writing, { ms, disturb }: Campaign) => {
  const stopped = new AbortController()
  const writers = Array.from({ length: writerCount }, async () => {
    while (!stopped.signal.aborted) {
      await writeOnce(writing)
      if (writing.written.at(-1)?.expected === undefined) await sleep(20)
    }
  })
  await Promise.all([sleep(ms), disturb?.()])
  const isEnough = () =>
    writing.written.filter(({ expected = [] }) => expected.length > 0).length > fewestWrites
  await until(isEnough, slowestMs)
  stopped.abort()
  await Promise.all(writers)
}

type Following = ReturnType<typeof follow>

const follow = (given: Omit<Watching, 'stopped'>) => {
  const stopping = new AbortController()
  const watching = { ...given, stopped: stopping.signal }
  const begun = { after: 0 }
  const few = { after: 0, types: fewTypes }
  const streams = Array.from({ length: streamCount }, () => newReading('stream', begun))
  const polls = [newReading('long poll', begun), newReading('long poll', begun)]
  const pages = [newReading('page', begun), newReading('page', few), newReading('long poll', few)]
  const fewStreams = [newReading('stream', few)]
  const lists: Listed[] = []
  const running = [
    ...[...streams, ...fewStreams].map((reading) => followStream(reading, watching)),
    ...polls.map((reading) => followPages(reading, watching, 2)),
    ...pages.map((reading) => followPages(reading, watching, 0)),
    listOften(lists, watching),
  ]
  return {
    readings: [...streams, ...fewStreams, ...polls, ...pages],
    lists,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** After a while without any write, one must still reach every reader, which has then been told all that it is to be told. */
const quietly = async (writing: Writing, { readings }: Following, complain: Watching['complain']) => {
  for (let turn = 0; turn < quietWrites; turn++) {
    await sleep(quietMs)
    const track = await send(writing, [newTodo(writing.random)])
    const behind = () => {
      const { told = [] } = readings.find((one) => one.told.at(-1)?.data.track === track) ?? {}
      return readings.filter(
        (one) => one.told.at(-1)?.id !== told.findLast(isOf(one.types))?.id || told.length === 0,
      )
    }
    await until(() => behind().length === 0)
    for (const { how } of behind()) complain(`a ${how} was not told of a write within ${liveMs} ms`)
  }
}

const until = async (isSo: () => boolean, limitMs = liveMs) => {
  const endMs = performance.now() + limitMs
  while (!isSo() && performance.now() < endMs) await sleep(10)
  return isSo()
}

/** Some of the cursors that were given, read on from. */
const resumed = async (
  { readings }: Following,
  written: readonly Written[],
  { watching, log }: { readonly watching: Watching; readonly log: readonly Change[] },
) => {
  const { random, clients } = watching
  const last = new Map(log.map((change) => [change.data.track, numberOf(change)]))
  const ofWrites = written.flatMap(({ track, cursor }) => {
    const after = last.get(track)
    return cursor && after ? [{ cursor, after, types: undefined }] : []
  })
  const ofReaders = readings.flatMap(({ places, told, types }) =>
    places.map(({ cursor, count }) => ({
      cursor,
      after: numberOf(told[count - 1] ?? zero),
      types,
    })),
  )
  const some = Array.from({ length: resumedCursors }, (_, at) =>
    random.pick(at % 3 === 0 ? ofWrites : ofReaders),
  )
  return inTurns(some.filter(Boolean), ({ cursor, after, types }) =>
    resume(random.pick(clients), newReading('cursor', { after, types, isPart: true }), cursor, watching),
  )
}

/** Where the cursors of lists stand, as a reader finds out. */
const placed = (lists: readonly Listed[], watching: Watching, log: readonly Change[]) =>
  inTurns(lists, async (list) => {
    const reading = newReading('cursor of a list', { isPart: true })
    await resume(watching.random.pick(watching.clients), reading, list.cursor, watching)
    const [next] = reading.told
    return {
      ...list,
      after: next ? numberOf(next) - 1 : numberOf(log.at(-1) ?? zero),
    }
  })

interface HistoryPage {
  readonly content: readonly { readonly change: Change; readonly value: Value }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

const histories = async (client: Client, log: readonly Change[]) => {
  const values = new Map<number, Value>()
  const paths = new Set(
    log
      .filter(({ type }) => /^(todo|member)\./.test(type))
      .map(({ type, subject }) => `${type.split('.')[0]}s/${subject}`),
  )
  await inTurns([...paths], async (path) => {
    let next: string | undefined = `${prefix}/${path}/history?size=100`
    while (next) {
      const { status, body } = await client.ask({ method: 'GET', path: next })
      if (status !== 200) throw new Error(`${next} was answered with ${status}: ${body}`)
      const { content, links }: HistoryPage = JSON.parse(body)
      for (const { change, value } of content) values.set(numberOf(change), value)
      const href = links.find(({ rel }) => rel === 'next')?.href
      next = href && new URL(href).pathname + new URL(href).search
    }
  })
  return values
}

/** Some at once. */
const inTurns = async <One, Result>(all: readonly One[], work: (one: One) => Promise<Result>) => {
  const results: Result[] = []
  const rest = all.entries()
  const run = async () => {
    for (const [at, one] of rest) results[at] = await work(one)
  }
  await Promise.all(Array.from({ length: askedAtOnce }, run))
  return results
}

/** A webhook's receiver, which notes the numbers of what it gets. */
const openReceiver = async () => {
  const numbers: number[] = []
  const server = createServer(async (request, response) => {
    numbers.push(numberOf(JSON.parse(await text(request))))
    await sleep(deliveryMs)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    numbers,
    close: () => server.close().closeAllConnections(),
  }
}
