import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { plantingOption } from '#lab/planted/planting.ts'
import { openService } from '#lab/service.ts'
import { databases } from '../../test/engines.ts'
import { campaignSettings, runCampaign } from './campaign.ts'

interface Observing {
  readonly databaseUrl: string
  readonly instances?: number
  readonly ms: number
  readonly plant?: string
}

const observe = async (t: TestContext, { databaseUrl, instances = 1, ms, plant }: Observing) => {
  const settings = { ...campaignSettings, ...(plant && { NODE_OPTIONS: plantingOption(plant) }) }
  const urls: string[] = []
  for (let at = 0; at < instances; at++) {
    const service = await openService({ databaseUrl, settings })
    t.after(() => service.end())
    urls.push(service.url)
  }
  return runCampaign({ urls, ms, fewestWrites: 100 })
}

for (const { name, url, skip } of databases)
  test(`${name}: all readers of the feed are told what was acknowledged, and lists are states of it`, {
    skip,
  }, async (t) => {
    const instances = name === 'SQLite' ? 1 : 2
    const { findings, figures } = await observe(t, { databaseUrl: await url(t), instances, ms: 300 })
    assert.deepEqual(findings, [])
    const { acknowledgedWrites = 0, lists = 0, delivered = 0 } = figures
    assert.ok(acknowledgedWrites > 30 && lists > 5 && delivered > 5, JSON.stringify(figures))
  })

const plant = 'a unit split between answers'

/** On a busy machine, so short a campaign may miss a mistake. */
const maxTries = 5

test(`a service with the planted mistake “${plant}” is detected`, async (t) => {
  const found = new Set<string>()
  for (let tries = 0; tries < maxTries && !found.has('atomic'); tries++) {
    const databaseUrl = await databases[0]?.url(t)
    assert.ok(databaseUrl)
    const { findings } = await observe(t, { databaseUrl, ms: 300, plant })
    for (const finding of findings) found.add(finding.check)
  }
  assert.ok(found.has('atomic'), `found ${[...found].join(', ') || 'nothing'}`)
})
