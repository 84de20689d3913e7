import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '#lab/histories/checks.ts'
import { httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { random as randomOf } from '#lab/random.ts'
import { checks, checksOfReaders } from './checks.ts'
import { knownCursors, placeLists, readFromCursors, readHistories } from './hindsight.ts'
import {
  beforeFirst,
  hasTypeIn,
  type ListRead,
  numberOf,
  type Observations,
  type Reading,
  type Write,
} from './observed.ts'
import {
  followPages,
  followStream,
  listOften,
  newReading,
  type ReaderContext,
  readSlowly,
  resume,
} from './readers.ts'
import { openReceiver } from './receiver.ts'
import { restoreBackup, splitOff } from './restored.ts'
import { newTodo, send, type WriterContext, writeOnce } from './writers.ts'

export interface Campaign {
  /** The instances of one service with open access, which nobody else uses and whose log is empty. */
  readonly urls: readonly string[]
  readonly ms: number
  /** How many writes must be acknowledged. */
  readonly fewestWrites?: number
  readonly seed?: number
  /** Makes something go wrong meanwhile. When it returns, the service must be healthy. */
  readonly disturb?: (during: During) => Promise<unknown>
  /** Restores a backup that the disturbance has made. It is called when every reader has got every change. */
  readonly restore?: () => Promise<unknown>
  /** The disturbance has changes swept that it has archived. */
  readonly isSwept?: boolean
  /** True if a write that is answered with 503 will never be done. */
  readonly isRefusalFinal?: boolean
  /** How often a delivery may break off. */
  readonly maxRepeats?: number
}

export interface During {
  readonly written: readonly Write[]
  /** Reads the log before it is swept. */
  readonly archive: () => Promise<unknown>
  /** The numbers at both ends of the log. */
  readonly oldest: () => Promise<number>
  readonly newest: () => Promise<number>
  /** The highest number that any reader has got. */
  readonly told: () => number
  /** Reports a mistake. */
  readonly complain: (says: string) => void
}

export interface Report {
  readonly findings: readonly Finding[]
  /** Why the run is void: it proves nothing. */
  readonly void: readonly string[]
  readonly figures: Readonly<Record<string, number>>
  /** The first cursor that a reader was given. */
  readonly first: string
}

/** Settings of the service: its webhook is received here. */
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
/** A request that was given up may still be written after the log has been read. */
const answerMs = 60_000
/** This many writes are acknowledged before the disturbance, and again afterwards. */
const writesAround = 40
/** On a busy machine, the load continues until this many writes are acknowledged, or for this long. */
const defaultFewest = 300
const slowestMs = 30_000
/** A busy database sometimes refuses a write of the deliverer, which then sends the same changes again. */
const busyRepeats = 10

/** Writes and reads for a while, then compares what the readers got with the log, and the log with the answers. */
export const runCampaign = async (campaign: Campaign): Promise<Report> => {
  const session = await open(campaign)
  const { following, ended } = session
  try {
    await write(session, campaign)
    await quietly(session)
    const lives: Observations[] = []
    if (campaign.restore) lives.push(await beforeRestore(session, campaign.restore))
    await following.stop()
    const { readings, ...last } = await observe(session)
    lives.push({ ...last, readings: [...following.readings, ...readings] })
    const judged = lives.map((life, at) =>
      at > 0 ? life : { ...life, readings: [...life.readings, ...ended] },
    )
    return reportOf(judged, session)
  } finally {
    await following.stop()
    session.receiver.close()
    for (const one of session.clients) one.close()
  }
}

type Session = Awaited<ReturnType<typeof open>>

const open = async ({ urls, seed = Date.now(), restore, ...campaign }: Campaign) => {
  const { isSwept = false, isRefusalFinal, maxRepeats = 0 } = campaign
  const clients = urls.map((url) => httpClient(url, answerMs))
  const random = randomOf(seed)
  const [complaints, doubts] = [new Set<string>(), new Set<string>()]
  const complain = (says: string) => void complaints.add(says)
  const receiver = await openReceiver()
  const writing: WriterContext = {
    clients,
    random,
    pools: { todos: [], members: [] },
    written: [],
    isRefusalFinal,
  }
  const body = { url: receiver.url, types: fewTypes }
  await send(writing, [{ method: 'POST', path: `${prefix}/webhooks`, body, type: 'webhook.created' }])
  const ended: Reading[] = []
  const anew = (reading: Reading) => {
    ended.push(splitOff(reading))
    if (isSwept) reading.after = undefined
  }
  const strict = { clients, random, complain }
  const lenient = { ...strict, anew }
  const log = newReading('log', { after: 0 })
  const watching = { ...(isSwept ? lenient : strict), stopped: new AbortController().signal }
  return {
    ...{ clients, random, complain, complaints, doubts, receiver, writing, ended },
    ...{ log, watching, isSwept, maxRepeats },
    following: follow(isSwept || restore ? lenient : strict, isSwept),
    archive: () =>
      resume(random.pick(clients), log, log.places.at(-1)?.cursor, { ...strict, stopped: watching.stopped }),
  }
}

/** The changes that readers got before the restore. */
const observe = async (session: Session): Promise<Observations> => {
  const { following, writing, receiver, watching, archive, isSwept } = session
  const types = fewTypes
  const log = [...(await archive()).told]
  const written = [...writing.written]
  const last = log.findLast(hasTypeIn(types))
  const isDelivered = () => isSwept || !last || receiver.numbers.at(-1) === numberOf(last)
  await until(isDelivered, deliveredMs)
  const some = knownCursors(following.readings, written, log)
  return {
    ...{ log, written, maxRepeats: busyRepeats + session.maxRepeats },
    readings: await readFromCursors(some, watching),
    lists: isSwept ? [] : await placeLists([...following.lists], watching, log),
    values: isSwept ? new Map() : await readHistories(watching, log),
    received: { types, numbers: [...receiver.numbers] },
  }
}

/** Observes, restores the backup, and goes on until other changes have taken the numbers of those that were lost. */
const beforeRestore = async (session: Session, restore: () => Promise<unknown>) => {
  const observed = await observe(session)
  const mustBeGone = await restoreBackup(session, observed, restore)
  await mustBeGone('after the restore')
  const { length } = observed.log
  const lost = length - session.log.told.length
  await write(session, { ms: 0, fewestWrites: acknowledged(session.writing.written) + lost })
  await quietly(session)
  if ((await duringCampaign(session).newest()) <= length)
    session.doubts.add('no other change took the last number')
  await mustBeGone('after other changes')
  return observed
}

const reportOf = (lives: readonly Observations[], { complaints, doubts, isSwept }: Session): Report => {
  const sum = (count: (life: Observations) => number) => lives.reduce((all, life) => all + count(life), 0)
  const told = ({ readings }: Observations) => readings.reduce((all, one) => all + one.told.length, 0)
  return {
    findings: [
      ...[...complaints].map((says) => ({ check: 'reader', key: '', says })),
      ...lives.flatMap((life) => (isSwept ? checksOfReaders : checks).flatMap((check) => check(life))),
    ],
    void: [...doubts],
    figures: {
      changes: sum(({ log }) => log.length),
      acknowledgedWrites: acknowledged(lives.at(-1)?.written ?? []),
      told: sum(told),
      lists: sum(({ lists }) => lists.length),
      delivered: sum(({ received }) => received.numbers.length),
    },
    first: lives.at(-1)?.readings[0]?.places[0]?.cursor ?? '',
  }
}

const acknowledged = (written: readonly Write[]) =>
  written.filter(({ expected = [] }) => expected.length > 0).length

const duringCampaign = ({ clients, writing, archive, complain, following }: Session): During => {
  const numberAt = async (query: string) => {
    const [client = httpClient('')] = clients
    const { body } = await client.ask({ method: 'GET', path: `${prefix}/changes?size=1${query}` })
    return numberOf(JSON.parse(body).content[0])
  }
  return {
    ...{ written: writing.written, archive, complain },
    oldest: () => numberAt(''),
    newest: () => numberAt('&before=latest'),
    told: () => Math.max(...following.readings.map(({ told }) => numberOf(told.at(-1) ?? beforeFirst))),
  }
}

const write = async (
  session: Session,
  { ms, disturb, fewestWrites = defaultFewest }: Pick<Campaign, 'ms' | 'disturb' | 'fewestWrites'>,
) => {
  const { writing, doubts } = session
  const stopped = new AbortController()
  const writers = Array.from({ length: writerCount }, async () => {
    while (!stopped.signal.aborted) {
      await writeOnce(writing)
      if (writing.written.at(-1)?.expected === undefined) await sleep(20)
    }
  })
  const { written } = writing
  const become = async (count: number) => {
    if (!(await until(() => acknowledged(written) >= count, slowestMs)))
      doubts.add(`${acknowledged(written)} of ${count} writes were acknowledged`)
    return acknowledged(written)
  }
  await become(acknowledged(written) + writesAround)
  await Promise.all([sleep(ms), disturb?.(duringCampaign(session))])
  await become(Math.max(fewestWrites, acknowledged(written) + writesAround))
  stopped.abort()
  await Promise.all(writers)
}

const follow = (whom: Omit<ReaderContext, 'stopped'>, isSwept: boolean) => {
  const stopping = new AbortController()
  const watching = { ...whom, stopped: stopping.signal }
  const begun = { after: 0 }
  const few = { after: 0, types: fewTypes }
  const streams = Array.from({ length: streamCount }, () => newReading('stream', begun))
  const polls = [newReading('long poll', begun), newReading('long poll', begun)]
  const pages = [newReading('page', begun), newReading('page', few), newReading('long poll', few)]
  const fewStreams = [newReading('stream', few)]
  const lists: ListRead[] = []
  const slow: Reading[] = []
  const running = [
    ...[...streams, ...fewStreams].map((reading) => followStream(reading, watching)),
    ...polls.map((reading) => followPages(reading, watching, 2)),
    ...pages.map((reading) => followPages(reading, watching, 0)),
    ...(isSwept ? [readSlowly(slow, watching)] : [listOften(lists, watching)]),
  ]
  const quick = [...streams, ...fewStreams, ...polls, ...pages]
  return {
    quick,
    get readings() {
      return [...quick, ...slow]
    },
    lists,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** After a pause without writes, one more write must reach every reader. By then each reader has got every change. */
const quietly = async ({ writing, following: { quick: readings }, complain }: Session) => {
  for (let turn = 0; turn < quietWrites; turn++) {
    await sleep(quietMs)
    const track = await send(writing, [newTodo(writing.random)])
    const behind = () => {
      const { told = [] } = readings.find((one) => one.told.at(-1)?.data.track === track) ?? {}
      return readings.filter(
        (one) => one.told.at(-1)?.id !== told.findLast(hasTypeIn(one.types))?.id || told.length === 0,
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
