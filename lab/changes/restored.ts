import { isDeepStrictEqual } from 'node:util'
import type { Client } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import type { Change } from '../../src/client/messages.ts'
import { inTurns, type KnownCursor, knownCursors, sampleOf } from './hindsight.ts'
import { beforeFirst, numberOf, type Observations, type Reading } from './observed.ts'
import type { ReaderContext } from './readers.ts'
import type { WriterContext } from './writers.ts'

/** Pages of one change each. */
const backwardPages = 3

interface RestoreParts {
  readonly watching: ReaderContext
  readonly writing: WriterContext
  readonly log: Reading
  readonly archive: () => Promise<Reading>
  readonly following: { readonly readings: readonly Reading[]; readonly lists: unknown[] }
  readonly receiver: { readonly numbers: number[] }
}

/**
 * Restores a backup, and drops the lost changes from what readers got. Returns a function that checks that the cursors given
 * after the backup get 410.
 */
export const restoreBackup = async (
  parts: RestoreParts,
  before: Observations,
  restore: () => Promise<unknown>,
) => {
  const { watching, writing, following, receiver } = parts
  const { clients, random, complain } = watching
  const back = await backwards(random.pick(clients))
  const kinds = [back, ...knownCursors(following.readings, before.written, before.log)]
  await restore()
  splitOff(parts.log)
  const { told } = await parts.archive()
  const kept = told.length
  if (kept === 0 || !isDeepStrictEqual(told, before.log.slice(0, kept)))
    complain(`${kept} changes were restored`)
  const tracks = new Set(told.map(({ data }) => data.track))
  const isKept = ({ track, expected = [] }: Observations['written'][number]) =>
    expected.length === 0 || tracks.has(track)
  keepOnly(writing.written, isKept)
  keepOnly(receiver.numbers, (number) => number <= kept)
  keepOnly(following.lists, () => false)
  const lost = sampleOf(
    kinds.map((some) => some.filter(({ after }) => after > kept)).filter((some) => some.length > 0),
    random,
  )
  if (lost.length === 0) complain('no cursor was lost')
  return async (when: string) =>
    void (await inTurns(lost, async (one) => {
      const statuses = await answersWhenGone(random.pick(clients), one)
      if (statuses) complain(`a cursor that was lost was answered ${statuses} ${when}`)
    }))
}

const keepOnly = <One>(all: One[], isKept: (one: One) => boolean) =>
  all.splice(0, all.length, ...all.filter(isKept))

/** The changes that a reader has got so far. It begins anew. */
export const splitOff = (reading: Reading): Reading => ({
  ...{ ...reading, isPart: true },
  ...{ told: reading.told.splice(0), places: reading.places.splice(0), looks: reading.looks.splice(0) },
})

/** The answer, unless every form of the request is refused with a link to the lists. */
export const answersWhenGone = async (
  client: Client,
  { cursor, types }: Pick<KnownCursor, 'cursor' | 'types'>,
) => {
  const only = types ? `&types=${types}` : ''
  const ask = (wait: number, accept: string) =>
    client
      .ask({
        method: 'GET',
        path: `${prefix}/changes?after=${cursor}&wait=${wait}${only}`,
        headers: { accept },
      })
      .catch(() => undefined)
  const json = 'application/json'
  const answers = await Promise.all([ask(0, json), ask(60, json), ask(0, 'text/event-stream')])
  const isTold = answers.every((one) => one?.status === 410 && /after=latest/.test(String(one.headers.link)))
  return isTold ? undefined : answers.map((one) => one?.status)
}

/** The cursors of the way back from the end. */
const backwards = async (client: Client): Promise<readonly KnownCursor[]> => {
  const found: KnownCursor[] = []
  for (let before = 'latest'; found.length < backwardPages; ) {
    const { body } = await client.ask({ method: 'GET', path: `${prefix}/changes?before=${before}&size=1` })
    const { cursor, content }: { cursor: string; content: readonly Change[] } = JSON.parse(body)
    found.push({ cursor, after: numberOf(content.at(-1) ?? beforeFirst) - 1, types: undefined })
    before = cursor
  }
  return found
}
