import { join } from 'node:path'
import { campaignSettings } from '#lab/changes/campaign.ts'
import { disturbed } from '#lab/changes/disturbed.ts'
import { administer, openServer, urlOf } from '../../../test/postgres-server.ts'
import type { Fault } from '../fault.ts'
import { openInstance } from '../instance.ts'

/** As on SQLite, at two instances, which are killed in turn with the server of PostgreSQL. */
export const changes: Fault = {
  name: 'changes at two instances, one killed',
  engine: 'postgres',
  promise: 'The feeds of all instances tell every acknowledged write once and in the same order.',
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const databaseUrl = urlOf(server)
    const first = await openInstance(databaseUrl, campaignSettings)
    const second = await openInstance(databaseUrl, campaignSettings)
    const restartServer = async () => {
      await server.stop('SIGKILL')
      await server.start()
    }
    const turns = [() => first.restart('SIGKILL'), () => second.restart('SIGKILL'), restartServer]
    return disturbed(stage, {
      ...{ databaseUrl, urls: [first.url, second.url], kills: 12 },
      kill: async (round) => turns[round % turns.length]?.(),
      alter: (statement) => administer(databaseUrl, statement),
      stop: () => Promise.all([first.end('SIGTERM'), second.end('SIGTERM')]),
    })
  },
}
