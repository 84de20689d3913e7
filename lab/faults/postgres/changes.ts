import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignSettings } from '#lab/changes/campaign.ts'
import { campaignAmid, campaignAmidKills } from '#lab/changes/campaign-amid.ts'
import { copyFiles, openPair } from '../../../test/postgres-pair.ts'
import { administer, openServer, urlOf } from '../../../test/postgres-server.ts'
import { campaignAmidJumps, campaignAmidSweeps } from '../clocked.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from '../instance.ts'
import { failOver } from './failover.ts'
import { restartServer } from './restart.ts'
import { whileStandingStill } from './stalled.ts'

/** As on SQLite, at two instances, which are killed in turn with the server of PostgreSQL. */
export const changes: Fault = {
  name: 'changes at two instances, one killed',
  engine: 'postgres',
  promise: 'The feeds of all instances tell every acknowledged write once and in the same order.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const databaseUrl = urlOf(server)
    const [first, second] = await openTwo(databaseUrl)
    const restartServer = async () => {
      await server.stop('SIGKILL')
      await server.start()
    }
    const turns = [() => first.restart('SIGKILL'), () => second.restart('SIGKILL'), restartServer]
    return campaignAmidKills(stage, {
      ...{ databaseUrl, urls: [first.url, second.url], kills: 12 },
      kill: async (round) => turns[round % turns.length]?.(),
      alter: (statement) => administer(databaseUrl, statement),
      stop: () => Promise.all([first.end('SIGTERM'), second.end('SIGTERM')]),
    })
  },
}

const openTwo = (databaseUrl: string) => {
  const open = () => openInstance(databaseUrl, campaignSettings)
  return Promise.all([open(), open()])
}

const urlsOf = (instances: readonly { readonly url: string }[]) => instances.map(({ url }) => url)

/** PostgreSQL is shut down, stopped at once and killed, in turn. */
export const changesAmidRestarts: Fault = {
  name: 'changes while PostgreSQL is restarted',
  engine: 'postgres',
  promise: 'No cursor leads astray, and nothing acknowledged is missing, doubled or out of order.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const databaseUrl = urlOf(server)
    const restarts = Math.max(3, rounds(stage, 9))
    return campaignAmid({
      ...{ databaseUrl, what: `${restarts} restarts`, maxRepeats: 2 * restarts },
      urls: urlsOf(await openTwo(databaseUrl)),
      async disturb() {
        for (let round = 0; round < restarts; round++) {
          await restartServer(server, round)
          await sleep(1_000)
          stage.progress((round + 1) / restarts)
        }
      },
    })
  },
}

/** The standby that commits have waited for is promoted. */
export const changesAfterFailover: Fault = {
  name: 'changes after a failover to a synchronous standby',
  engine: 'postgres',
  promise: 'Whoever goes on by cursor misses nothing that was acknowledged, and is told nothing again.',
  async run({ directory }) {
    const pair = await openPair({ directory, isSynchronous: true })
    return campaignAmid({
      ...{ databaseUrl: pair.url, what: 'a failover', maxRepeats: 2 },
      urls: urlsOf(await openTwo(pair.url)),
      disturb: () => failOver(pair),
    })
  },
}

/** More than a commit waits for its standby. */
const stillMs = 5_000

/** Meanwhile readers go on. A commit that waits for its standby is not told; it may be later, though its caller got 503. */
export const changesAtStillStandby: Fault = {
  name: 'changes while a standby stands still',
  engine: 'postgres',
  promise: 'Nothing is told that the standby does not have, and when it is back, nothing is missing.',
  async run({ directory }) {
    const pair = await openPair({ directory, isSynchronous: true })
    const urls = urlsOf(await openTwo(pair.url))
    return campaignAmid({
      ...{ databaseUrl: pair.url, urls, what: 'a standby that stands still' },
      disturb: ({ newest, told, complain }) =>
        whileStandingStill(pair, async () => {
          // What the standby had received may still be confirmed.
          await sleep(500)
          const before = await newest()
          await sleep(stillMs)
          if (told() > before) complain(`${told()} was told while the standby was at ${before}`)
        }),
    })
  },
}

/** The files of an earlier moment are put back under running instances. Nobody tells them. */
export const changesAfterRestore: Fault = {
  name: 'changes after PostgreSQL was restored from a backup',
  engine: 'postgres',
  promise: 'Every cursor given after the backup is 410, for good; whoever begins anew has a true copy.',
  async run({ directory }) {
    const files = join(directory, 'postgres')
    const server = await openServer(files)
    const databaseUrl = urlOf(server)
    const backup = join(directory, 'backup')
    const replaced = async (from: string, to: string) => {
      await server.stop()
      rmSync(to, { recursive: true, force: true })
      copyFiles(from, to)
      await server.start()
    }
    return campaignAmid({
      ...{ databaseUrl, what: 'a restored backup', maxRepeats: Number.POSITIVE_INFINITY },
      urls: urlsOf(await openTwo(databaseUrl)),
      disturb: () => replaced(files, backup),
      restore: () => replaced(backup, files),
    })
  },
}

/** Two instances, one after the other ahead and behind. */
export const changesAmidJumps: Fault = {
  name: 'changes while the clocks of two instances jump',
  engine: 'postgres',
  promise: 'The order is that of the commits, whatever the clocks say.',
  run: async (stage) =>
    campaignAmidJumps(stage, urlOf(await openServer(join(stage.directory, 'postgres'))), 2),
}

/** Both instances sweep. */
export const changesAmidSweeps: Fault = {
  name: 'changes swept while two instances deliver them',
  engine: 'postgres',
  promise: 'A reader is told every change that follows its cursor, or 410.',
  run: async (stage) =>
    campaignAmidSweeps(stage, urlOf(await openServer(join(stage.directory, 'postgres'))), 2),
}
