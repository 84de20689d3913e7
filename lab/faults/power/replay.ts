import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random as randomOf } from '#lab/random.ts'
import { forgetfulDisk } from './disk.ts'
import { type FateName, fates } from './fates.ts'
import { judge } from './image.ts'
import { type Call, callsOf } from './trace.ts'

export interface Replay {
  readonly traceFile: string
  readonly isOurs: (path: string) => boolean
  /** How many power cuts, spread over all places in the trace. */
  readonly cuts: number
  readonly seed: number
  readonly onCut?: (done: number) => void
  /** Gets every image, and its place in the trace. */
  readonly onImage?: (image: ReadonlyMap<string, Buffer>, place: number) => Promise<void>
}

export interface Losses {
  readonly places: number
  readonly cuts: number
  readonly acknowledged: number
  /** How many cuts lost acknowledged data. */
  readonly lost: number
  readonly corrupt: number
  readonly byFate: Readonly<Record<FateName, number>>
  /** A description of the first bad cut. */
  readonly example: string | undefined
}

/** Cuts the power at places throughout the trace, and counts the cuts that lose acknowledged data. */
export const replay = async ({ traceFile, isOurs, cuts, seed, onCut, onImage }: Replay): Promise<Losses> => {
  const random = randomOf(seed).share
  const places = await countPlaces(traceFile, isOurs)
  const perPlace = cuts / places
  const disk = forgetfulDisk(isOurs)
  const acknowledged = new Map<string, number>()
  const tally = { cuts: 0, lost: 0, corrupt: 0, byFate: { dropped: 0, kept: 0, some: 0, torn: 0, last: 0 } }
  let example: string | undefined
  let due = 0
  let place = 0
  using directory = scratch()
  const cutHere = async () => {
    place++
    for (due += perPlace; due >= 1; due--) {
      const fate = pick(random)
      const image = disk.image(fates[fate](random))
      await onImage?.(image, place)
      const { lost, corrupt } = judge(image, acknowledged, directory.path)
      tally.cuts++
      if (lost.length > 0) tally.lost++
      if (corrupt) tally.corrupt++
      if (lost.length > 0 || corrupt) {
        tally.byFate[fate]++
        example ??= `cut ${tally.cuts} (${fate}): ${corrupt ?? `lost ${lost.slice(0, 3).join(', ')}`}`
      }
      onCut?.(tally.cuts)
    }
  }
  for await (const call of callsOf(traceFile)) {
    remember(acknowledged, call)
    if (isCutBefore(call, isOurs)) await cutHere()
    if (disk.apply(call)) await cutHere()
  }
  return { ...tally, places, acknowledged: acknowledged.size, example }
}

const countPlaces = async (traceFile: string, isOurs: (path: string) => boolean) => {
  const disk = forgetfulDisk(isOurs)
  let places = 0
  for await (const call of callsOf(traceFile)) {
    if (isCutBefore(call, isOurs)) places++
    if (disk.apply(call)) places++
  }
  return places
}

/** Much may have been output while a sync was under way. */
const isCutBefore = (call: Call, isOurs: Replay['isOurs']) => call.is === 'sync' && isOurs(call.path)

const shown = /"todoId":"([^"]+)","todoTitle":"(\d+)"/g

/** Whatever the program outputs about a record must survive a power loss. */
const remember = (acknowledged: Map<string, number>, call: Call) => {
  if (call.is !== 'say') return
  for (const [, id = '', number] of call.text.matchAll(shown))
    acknowledged.set(id, Math.max(Number(number), acknowledged.get(id) ?? 0))
}

/** Picks the harsher fates more often. */
const pick = (random: () => number): FateName => {
  const names: readonly FateName[] = ['dropped', 'dropped', 'some', 'some', 'torn', 'torn', 'last', 'kept']
  return names[Math.floor(random() * names.length)] ?? 'dropped'
}

const scratch = () => {
  const path = mkdtempSync(join(tmpdir(), 'rollcall-power-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
