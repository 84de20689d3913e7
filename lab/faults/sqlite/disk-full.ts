import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openService } from '#lab/service.ts'
import { noSmallDisk } from '../../../test/small-disk.ts'
import type { Fault } from '../fault.ts'
import { complaintsAboutAnswers, missing, probe, until } from '../probe.ts'

const writesWhileFull = 20

/** A small disk of its own that another file fills up. */
export const diskFull: Fault = {
  name: 'disk full',
  engine: 'sqlite',
  promise: 'Writes get 503 and reads 200; once there is space again, it recovers by itself.',
  unable: () => noSmallDisk || undefined,
  run: ({ directory }) => onSmallDisk(directory, '8m', onDisk),
}

/** Does the work with a folder that is a disk of this size. */
export const onSmallDisk = async <T>(directory: string, size: string, work: (disk: string) => Promise<T>) => {
  const disk = join(directory, 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  try {
    return await work(disk)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
}

const onDisk = async (disk: string) => {
  const service = await openService({ databaseUrl: `sqlite:${join(disk, 'rollcall.db')}` })
  const one = probe(service.url)
  for (let n = 0; n < 50; n++) await one.write()
  const filler = join(disk, 'filler')
  fill(filler)
  await until(one.write, 503)
  const writes = []
  const reads = []
  for (let n = 0; n < writesWhileFull; n++) {
    writes.push(await one.write())
    reads.push(await one.read())
  }
  const acknowledgedWhileFull = writes.filter(({ status }) => status === 201)
  const unread = reads.filter(({ status }) => status !== 200)
  rmSync(filler)
  const healedMs = await until(one.write, 201)
  await service.end('SIGKILL')
  const again = await openService({ databaseUrl: `sqlite:${join(disk, 'rollcall.db')}` })
  const gone = await missing(probe(again.url), one.created)
  await again.end('SIGTERM')
  return {
    figure: `${writesWhileFull - acknowledgedWhileFull.length} writes 503, ${reads.length - unread.length} reads 200, healed after ${healedMs} ms`,
    broken: [
      ...complaintsAboutAnswers(writes.filter(({ status }) => status !== 201)),
      ...unread.map(({ status }) => `a read got ${status}`),
      ...gone.map((id) => `${id} is lost`),
    ],
    figures: { healedMs, refused: writesWhileFull - acknowledgedWhileFull.length, lost: gone.length },
  }
}

/** A file that takes all the space there is. */
export const fill = (file: string) => {
  const handle = openSync(file, 'w')
  try {
    for (let sizeBytes = 65_536; sizeBytes >= 512; )
      try {
        writeSync(handle, Buffer.alloc(sizeBytes))
      } catch {
        sizeBytes /= 2
      }
  } finally {
    closeSync(handle)
  }
}
