import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignSettings } from '#lab/changes/campaign.ts'
import { campaignAmid, campaignAmidKills } from '#lab/changes/campaign-amid.ts'
import { noSmallDisk } from '../../../test/small-disk.ts'
import { campaignAmidJumps, campaignAmidSweeps } from '../clocked.ts'
import type { Fault } from '../fault.ts'
import { openInstance } from '../instance.ts'
import { fill, onSmallDisk } from './disk-full.ts'

/** The feed is written to and read by many while the service is killed. */
export const changes: Fault = {
  name: 'changes at a killed service',
  engine: 'sqlite',
  promise: 'The feed tells every acknowledged write once and in order, and a cursor leads on or is refused.',
  async run(stage) {
    const file = join(stage.directory, 'rollcall.db')
    const databaseUrl = `sqlite:${file}`
    const service = await openInstance(databaseUrl, campaignSettings)
    return campaignAmidKills(stage, {
      ...{ databaseUrl, urls: [service.url], kills: 10 },
      kill: () => service.restart('SIGKILL'),
      async alter(statement) {
        await service.end()
        const database = new DatabaseSync(file)
        database.exec(statement)
        database.close()
        await service.restart('SIGKILL')
      },
      stop: () => service.end('SIGTERM'),
    })
  },
}

const refusals = 40
const fullMs = 20_000

/** Another file takes all the space and is then removed. Nothing is killed, so refused writes stay undone. */
export const changesOnFullDisk: Fault = {
  name: 'changes on a full disk',
  engine: 'sqlite',
  promise: 'No change of a refused write is ever told, and those that were acknowledged are.',
  unable: () => noSmallDisk || undefined,
  run: ({ directory }) =>
    onSmallDisk(directory, '64m', async (disk) => {
      const databaseUrl = `sqlite:${join(disk, 'rollcall.db')}`
      const service = await openInstance(databaseUrl, campaignSettings)
      return campaignAmid({
        ...{ databaseUrl, what: 'a full disk', urls: [service.url], isRefusalFinal: true },
        async disturb({ written, complain }) {
          const filler = join(disk, 'filler')
          fill(filler)
          const refused = () => written.filter(({ status }) => status === 503).length
          const endMs = performance.now() + fullMs
          while (refused() < refusals && performance.now() < endMs) await sleep(20)
          if (refused() < refusals) complain(`only ${refused()} writes were refused`)
          rmSync(filler)
        },
        stop: () => service.end('SIGTERM'),
      })
    }),
}

/** Ahead and behind by hours. */
export const changesAmidJumps: Fault = {
  name: 'changes while the clock jumps',
  engine: 'sqlite',
  promise: 'The order is that of the commits, whatever the clock says.',
  run: (stage) => campaignAmidJumps(stage, `sqlite:${join(stage.directory, 'rollcall.db')}`, 1),
}

/** Readers of all kinds, some of them slow. */
export const changesAmidSweeps: Fault = {
  name: 'changes swept while they are delivered',
  engine: 'sqlite',
  promise: 'A reader is told every change that follows its cursor, or 410.',
  run: (stage) => campaignAmidSweeps(stage, `sqlite:${join(stage.directory, 'rollcall.db')}`, 1),
}
