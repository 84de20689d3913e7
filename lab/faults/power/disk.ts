import { dirname } from 'node:path'
import type { Call } from './trace.ts'

/** A change to a file since its last sync. */
export type Change =
  | { readonly is: 'write'; readonly bytes: Buffer; readonly at: number }
  | { readonly is: 'truncate'; readonly sizeBytes: number }

/** Which of the changes that were not synced are on the disk when the power is back. */
export interface Fate {
  /** The parts of the change that are kept. */
  keeps(change: Change, index: number, all: readonly Change[]): readonly Change[]
  /** True if a name that was created or removed in a directory not synced since stays so. */
  keepsName(): boolean
}

interface File {
  durable: Buffer
  pending: Change[]
  sizeBytes: number
  /** For each thread whose sync is under way: the last change before it. */
  readonly syncing: Map<string, Change | undefined>
}

/** A simulated disk that keeps what was synced, and the rest as the fate decides. */
export const forgetfulDisk = (isOurs: (path: string) => boolean) => {
  const files = new Map<string, File>()
  const durableNames = new Map<string, File>()
  const fileAt = (path: string) => {
    const known = files.get(path)
    if (known) return known
    const file: File = { durable: Buffer.alloc(0), pending: [], sizeBytes: 0, syncing: new Map() }
    files.set(path, file)
    return file
  }
  return {
    /** True if the call affected one of our files. */
    apply(call: Call): boolean {
      if (call.is === 'say') return false
      if (call.is === 'syncing') {
        const file = files.get(call.path)
        file?.syncing.set(call.thread, file.pending.at(-1))
        return false
      }
      if (call.is === 'sync' && syncsNames(call.path)) return true
      if (!isOurs(call.path)) return false
      change(call)
      return true
    },

    /** The files after a power loss now. */
    image(fate: Fate): Map<string, Buffer> {
      const names = new Map(durableNames)
      for (const [path, file] of files)
        if (durableNames.get(path) !== file && fate.keepsName()) names.set(path, file)
      for (const path of durableNames.keys()) if (!files.has(path) && fate.keepsName()) names.delete(path)
      return new Map([...names].map(([path, file]) => [path, contents(file, fate)]))
    },
  }

  function syncsNames(directory: string) {
    const inside = [...files.keys(), ...durableNames.keys()].filter((path) => dirname(path) === directory)
    for (const path of inside) {
      const file = files.get(path)
      if (file) durableNames.set(path, file)
      else durableNames.delete(path)
    }
    return inside.length > 0
  }

  function change(call: Exclude<Call, { is: 'say' | 'syncing' }>) {
    if (call.is === 'unlink') return void files.delete(call.path)
    const file = fileAt(call.path)
    if (call.is === 'rename') {
      files.set(call.to, file)
      files.delete(call.path)
    }
    if (call.is === 'sync') sync(file, call.thread)
    if (call.is === 'truncate') {
      file.pending.push({ is: 'truncate', sizeBytes: call.sizeBytes })
      file.sizeBytes = call.sizeBytes
    }
    if (call.is === 'write') {
      const at = call.at ?? file.sizeBytes
      file.pending.push({ is: 'write', bytes: call.bytes, at })
      file.sizeBytes = Math.max(file.sizeBytes, at + call.bytes.length)
    }
  }
}

const sync = (file: File, thread: string) => {
  const last = file.pending.indexOf(file.syncing.get(thread) as Change)
  const covered = file.pending.splice(0, last + 1)
  file.durable = withChanges(file.durable, covered)
}

const contents = (file: File, fate: Fate) =>
  withChanges(
    file.durable,
    file.pending.flatMap((change, index, all) => fate.keeps(change, index, all)),
  )

const withChanges = (before: Buffer, changes: readonly Change[]) => {
  const needed = changes.reduce(
    (size, one) => Math.max(size, one.is === 'write' ? one.at + one.bytes.length : 0),
    0,
  )
  const room = Buffer.alloc(Math.max(before.length, needed))
  before.copy(room)
  let sizeBytes = before.length
  for (const change of changes) {
    if (change.is === 'truncate') {
      room.fill(0, change.sizeBytes)
      sizeBytes = change.sizeBytes
    } else {
      change.bytes.copy(room, change.at)
      sizeBytes = Math.max(sizeBytes, change.at + change.bytes.length)
    }
  }
  return room.subarray(0, sizeBytes)
}
