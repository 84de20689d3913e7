import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { campaignSettings } from '#lab/changes/campaign.ts'
import { disturbed } from '#lab/changes/disturbed.ts'
import type { Fault } from '../fault.ts'
import { openInstance } from '../instance.ts'

/** The feed is written to and read by many while the service is killed. */
export const changes: Fault = {
  name: 'changes at a killed service',
  engine: 'sqlite',
  promise: 'The feed tells every acknowledged write once and in order, and a cursor leads on or is refused.',
  async run(stage) {
    const file = join(stage.directory, 'rollcall.db')
    const databaseUrl = `sqlite:${file}`
    const service = await openInstance(databaseUrl, campaignSettings)
    return disturbed(stage, {
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
