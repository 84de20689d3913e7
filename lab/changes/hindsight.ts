import { prefix } from '#lab/histories/todos.ts'
import type { Random } from '#lab/random.ts'
import type { Change } from '../../src/client/messages.ts'
import { beforeFirst, type ListRead, numberOf, type Reading, type Value, type Write } from './observed.ts'
import { newReading, type ReaderContext, resume } from './readers.ts'

const askedCursors = 40
const askedAtOnce = 8

/** A cursor, and the number of the last change before it. */
export interface KnownCursor {
  readonly cursor: string
  readonly after: number
  readonly types: readonly string[] | undefined
}

/** The cursors in the answers to writers and readers. */
export const knownCursors = (
  readings: readonly Reading[],
  written: readonly Write[],
  log: readonly Change[],
) => {
  const last = new Map(log.map((change) => [change.data.track, numberOf(change)]))
  const ofWrites = written.flatMap(({ track, cursor, expected }) => {
    const after = last.get(track)
    return cursor && after && expected ? [{ cursor, after, types: undefined }] : []
  })
  const ofReaders = readings.flatMap(({ places, told, types }) =>
    places.map(({ cursor, count }) => ({ cursor, after: numberOf(told[count - 1] ?? beforeFirst), types })),
  )
  return [ofReaders, ofReaders, ofWrites].filter((some) => some.length > 0)
}

/** A sample, of each kind in turn. */
export const sampleOf = (kinds: readonly (readonly KnownCursor[])[], random: Random) =>
  Array.from({ length: askedCursors }, (_, at) => random.pick(kinds[at % kinds.length] ?? [])).filter(Boolean)

/** Reads on from some of the cursors that were given. */
export const readFromCursors = (kinds: readonly (readonly KnownCursor[])[], watching: ReaderContext) =>
  inTurns(sampleOf(kinds, watching.random), ({ cursor, after, types }) =>
    resume(
      watching.random.pick(watching.clients),
      newReading('cursor', { after, types, isPart: true }),
      cursor,
      watching,
    ),
  )

/** Finds the place of each list's cursor by reading on from it. */
export const placeLists = (lists: readonly ListRead[], watching: ReaderContext, log: readonly Change[]) =>
  inTurns(lists, async (list) => {
    const reading = newReading('cursor of a list', { isPart: true })
    await resume(watching.random.pick(watching.clients), reading, list.cursor, watching)
    const [next] = reading.told
    return {
      ...list,
      after: next ? numberOf(next) - 1 : numberOf(log.at(-1) ?? beforeFirst),
    }
  })

interface HistoryPage {
  readonly content: readonly { readonly change: Change; readonly value: Value }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

export const readHistories = async ({ clients, random }: ReaderContext, log: readonly Change[]) => {
  const values = new Map<number, Value>()
  const paths = new Set(
    log
      .filter(({ type }) => /^(todo|member)\./.test(type))
      .map(({ type, subject }) => `${type.split('.')[0]}s/${subject}`),
  )
  await inTurns([...paths], async (path) => {
    let next: string | undefined = `${prefix}/${path}/history?size=100`
    while (next) {
      const { status, body } = await random.pick(clients).ask({ method: 'GET', path: next })
      if (status !== 200) throw new Error(`${next} was answered with ${status}: ${body}`)
      const { content, links }: HistoryPage = JSON.parse(body)
      for (const { change, value } of content) values.set(numberOf(change), value)
      const href = links.find(({ rel }) => rel === 'next')?.href
      next = href && new URL(href).pathname + new URL(href).search
    }
  })
  return values
}

/** A few at a time. */
export const inTurns = async <One, Result>(all: readonly One[], work: (one: One) => Promise<Result>) => {
  const results: Result[] = []
  const rest = all.entries()
  const run = async () => {
    for (const [at, one] of rest) results[at] = await work(one)
  }
  await Promise.all(Array.from({ length: askedAtOnce }, run))
  return results
}
