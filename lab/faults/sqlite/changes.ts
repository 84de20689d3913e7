import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignSettings, runCampaign } from '#lab/changes/campaign.ts'
import { complaintsOfLosers } from '#lab/changes/gone.ts'
import { changesOutcome } from '#lab/changes/outcome.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from '../postgres/fleet.ts'

const calmMs = 700

/** The feed is written to and read by many while the service is killed; then its log loses changes at both ends. */
export const changes: Fault = {
  name: 'changes at a killed service',
  engine: 'sqlite',
  promise: 'The feed tells every acknowledged write once and in order, and a cursor leads on or is refused.',
  async run(stage) {
    const file = join(stage.directory, 'rollcall.db')
    const service = await openInstance(`sqlite:${file}`, campaignSettings)
    const kills = rounds(stage, 10)
    const report = await runCampaign({
      urls: [service.url],
      ms: calmMs,
      maxRepeats: kills,
      async disturb() {
        for (let round = 0; round < kills; round++) {
          await sleep(calmMs)
          await service.restart('SIGKILL')
          stage.progress((round + 1) / kills)
        }
        await sleep(calmMs)
      },
    })
    const alter = async (statement: string) => {
      await service.end()
      const database = new DatabaseSync(file)
      database.exec(statement)
      database.close()
      await service.restart('SIGKILL')
    }
    const [early = ''] = report.cursors
    const losers = await complaintsOfLosers({ url: service.url, early, alter })
    await service.end('SIGTERM')
    return changesOutcome(report, losers, { databaseUrl: `sqlite:${file}`, disturbances: `${kills} kills` })
  },
}
