import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignSettings, runCampaign } from '#lab/changes/campaign.ts'
import { complaintsOfLosers } from '#lab/changes/gone.ts'
import { changesOutcome } from '#lab/changes/outcome.ts'
import { administer, openServer, urlOf } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from './fleet.ts'

const calmMs = 1_000
const serverEvery = 3

/** As on SQLite, at two instances, which are killed in turn, and now and then the server of PostgreSQL. */
export const changes: Fault = {
  name: 'changes at two instances, one killed',
  engine: 'postgres',
  promise: 'The feeds of all instances tell every acknowledged write once and in the same order.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const databaseUrl = urlOf(server)
    const first = await openInstance(databaseUrl, campaignSettings)
    const instances = [first, await openInstance(databaseUrl, campaignSettings)]
    const kills = rounds(stage, 12)
    const report = await runCampaign({
      urls: instances.map(({ url }) => url),
      ms: calmMs,
      maxRepeats: 2 * kills,
      async disturb() {
        for (let round = 0; round < kills; round++) {
          await sleep(calmMs)
          if (round % serverEvery === serverEvery - 1) {
            await server.stop('SIGKILL')
            await server.start()
          } else await instances[round % 2]?.restart('SIGKILL')
          stage.progress((round + 1) / kills)
        }
        await sleep(2 * calmMs)
      },
    })
    const [early = ''] = report.cursors
    const alter = (statement: string) => administer(databaseUrl, statement)
    const losers = await complaintsOfLosers({ url: first.url, early, alter })
    return changesOutcome(report, losers, { databaseUrl, disturbances: `${kills} kills` })
  },
}
