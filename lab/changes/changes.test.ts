import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openService } from '#lab/service.ts'
import { databases } from '../../test/engines.ts'
import { campaignSettings, runCampaign } from './campaign.ts'

interface Observing {
  readonly databaseUrl: string
  readonly instances: number
}

const observe = async (t: TestContext, { databaseUrl, instances }: Observing) => {
  const urls: string[] = []
  for (let at = 0; at < instances; at++) {
    const service = await openService({ databaseUrl, settings: campaignSettings })
    t.after(() => service.end())
    urls.push(service.url)
  }
  return runCampaign({ urls, ms: 300, fewestWrites: 100 })
}

for (const { name, url, skip } of databases)
  test(`${name}: every reader of the feed gets every acknowledged change, and every list shows the state after some change`, {
    skip,
  }, async (t) => {
    const instances = name === 'SQLite' ? 1 : 2
    const { findings, figures } = await observe(t, { databaseUrl: await url(t), instances })
    assert.deepEqual(findings, [])
    const { acknowledgedWrites = 0, lists = 0, delivered = 0 } = figures
    assert.ok(acknowledgedWrites > 30 && lists > 5 && delivered > 5, JSON.stringify(figures))
  })
