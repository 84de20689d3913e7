import { setTimeout as sleep } from 'node:timers/promises'
import { type Outcome, rounds, type Stage } from '#lab/faults/fault.ts'
import { httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { rollcall } from '../../test/operations/child.ts'
import { type Campaign, type Report, runCampaign } from './campaign.ts'
import { answersWhenGone } from './restored.ts'

export interface KillCampaign {
  readonly databaseUrl: string
  readonly urls: readonly string[]
  readonly kills: number
  readonly kill: (round: number) => Promise<unknown>
  /** Runs a statement on the database while services use it. */
  readonly alter: (statement: string) => Promise<unknown>
  readonly stop: () => Promise<unknown>
}

const calmMs = 800
const shownFindings = 5
const keptChanges = 5
const amidWrites = 150

/** The campaign amid kills. Then its log loses changes at both ends, and its chain must still be whole. */
export const campaignAmidKills = async (stage: Stage, parts: KillCampaign): Promise<Outcome> => {
  const { databaseUrl, urls, kill, stop } = parts
  const kills = rounds(stage, parts.kills)
  const disturb = async () => {
    for (let round = 0; round < kills; round++) {
      await sleep(calmMs)
      await kill(round)
      stage.progress((round + 1) / kills)
    }
    await sleep(2 * calmMs)
  }
  // Both that deliver may repeat something: the one before a kill, and the one after it.
  const report = await runCampaign({ urls, ms: calmMs, maxRepeats: 2 * kills, disturb })
  const losers = await complaintsOfLosers(report.first, parts)
  await stop()
  return outcomeOf(`${kills} kills`, report, [...losers, ...(await complaintsOfVerify(databaseUrl))])
}

interface Amid extends Omit<Campaign, 'ms'> {
  readonly databaseUrl: string
  /** The disturbance, in words. */
  readonly what: string
  /** Ends a service whose database nobody else may open. */
  readonly stop?: () => Promise<unknown>
}

/** The campaign amid one disturbance. Then the chain of its log must be whole. */
export const campaignAmid = async ({ databaseUrl, what, stop, ...campaign }: Amid): Promise<Outcome> => {
  const report = await runCampaign({ ms: calmMs, fewestWrites: amidWrites, ...campaign })
  await stop?.()
  return outcomeOf(what, report, await complaintsOfVerify(databaseUrl))
}

const outcomeOf = (what: string, report: Report, complaints: readonly string[]): Outcome => {
  const { findings, figures } = report
  const { changes, told, lists, acknowledgedWrites } = figures
  const wrong = findings.length + complaints.length
  return {
    figure: `${what}: ${changes} changes of ${acknowledgedWrites} writes, delivered ${told} times, and ${lists} lists: ${wrong} lost, doubled, split or out of order`,
    broken: [
      ...findings.slice(0, shownFindings).map(({ check, key, says }) => `${check} ${key}: ${says}`),
      ...complaints,
      ...report.void.map((why) => `void: ${why}`),
    ],
    figures,
  }
}

const complaintsOfVerify = async (databaseUrl: string) => {
  const { code, out, err } = await rollcall(['verify'], { environment: { DATABASE_URL: databaseUrl } })
  return code === 0 ? [] : [`verify ended with ${code}: ${out}${err}`]
}

/** The log loses its newest change, whose number another one takes, and then its oldest ones. Readers at these places must get 410. */
const complaintsOfLosers = async (first: string, { urls: [url = ''], alter }: KillCampaign) => {
  const client = httpClient(url)
  const write = async () => {
    const body = { todoTitle: 'another' }
    const { headers } = await client.ask({ method: 'POST', path: `${prefix}/todos`, body })
    return String(headers['change-cursor'])
  }
  const complaints: string[] = []
  const mustBeGone = async (cursor: string, what: string) => {
    const statuses = await answersWhenGone(client, { cursor, types: undefined })
    if (statuses) complaints.push(`a cursor ${what} was answered ${statuses}`)
  }
  const lost = await write()
  await alter('DELETE FROM change WHERE number = (SELECT max(number) FROM change)')
  await mustBeGone(lost, 'of the future')
  await write()
  await mustBeGone(lost, 'after a change that was lost')
  const newest = await write()
  await alter(`DELETE FROM change WHERE number <= (SELECT max(number) FROM change) - ${keptChanges}`)
  await mustBeGone(first, 'after what was swept')
  const { status } = await client.ask({ method: 'GET', path: `${prefix}/changes?after=${newest}` })
  if (status !== 200) complaints.push(`the newest cursor was answered ${status}`)
  client.close()
  return complaints
}
