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
  return runCampaign({ urls, ms })
}

for (const { name, url, skip } of databases)
  test(`${name}: all readers of the feed are told what was acknowledged, and lists are states of it`, {
    skip,
  }, async (t) => {
    const instances = name === 'SQLite' ? 1 : 2
    const { findings, figures } = await observe(t, { databaseUrl: await url(t), instances, ms: 1_500 })
    assert.deepEqual(findings, [])
    const { acknowledgedWrites = 0, lists = 0, delivered = 0 } = figures
    assert.ok(acknowledgedWrites > 30 && lists > 5 && delivered > 5, JSON.stringify(figures))
  })

const mistakes: readonly [plant: string, finds: string][] = [
  ['a unit split between answers', 'atomic'],
  ['a change of what was rolled back', 'complete'],
]

/** On a busy machine, so short a campaign may miss a mistake. */
const maxTries = 5

for (const [plant, finds] of mistakes)
  test(`a service with the planted mistake “${plant}” is detected: ${finds}`, async (t) => {
    const found = new Set<string>()
    for (let tries = 0; tries < maxTries && !found.has(finds); tries++) {
      const databaseUrl = await databases[0]?.url(t)
      assert.ok(databaseUrl)
      const { findings } = await observe(t, { databaseUrl, ms: 500, plant })
      for (const finding of findings) found.add(finding.check)
    }
    assert.ok(found.has(finds), `found ${[...found].join(', ') || 'nothing'}`)
  })
