import { setTimeout as sleep } from 'node:timers/promises'
import { type Outcome, rounds, type Stage } from '#lab/faults/fault.ts'
import { httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { rollcall } from '../../test/operations/child.ts'
import { runCampaign } from './campaign.ts'

export interface Disturbed {
  readonly databaseUrl: string
  readonly urls: readonly string[]
  readonly kills: number
  readonly kill: (round: number) => Promise<unknown>
  /** Runs a statement on the database, whoever else uses it. */
  readonly alter: (statement: string) => Promise<unknown>
  readonly stop: () => Promise<unknown>
}

const calmMs = 800
const shownFindings = 5
const keptChanges = 5
const fewestWrites = 30

/** The campaign amid kills. Then its log loses changes at both ends, and its chain must still be whole. */
export const disturbed = async (stage: Stage, parts: Disturbed): Promise<Outcome> => {
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
  const { findings, figures, first } = await runCampaign({ urls, ms: calmMs, maxRepeats: 2 * kills, disturb })
  const losers = await complaintsOfLosers(first, parts)
  await stop()
  const { code, out, err } = await rollcall(['verify'], { environment: { DATABASE_URL: databaseUrl } })
  const { changes, told, lists, acknowledgedWrites = 0 } = figures
  const wrong = findings.length + losers.length
  return {
    figure: `${kills} kills: ${changes} changes of ${acknowledgedWrites} writes, told ${told} times, and ${lists} lists: ${wrong} lost, doubled, split or out of order`,
    broken: [
      ...findings.slice(0, shownFindings).map(({ check, key, says }) => `${check} ${key}: ${says}`),
      ...losers,
      ...(acknowledgedWrites < fewestWrites ? [`void: ${acknowledgedWrites} writes`] : []),
      ...(code === 0 ? [] : [`verify ended with ${code}: ${out}${err}`]),
    ],
    figures,
  }
}

/** A log loses its newest change, whose number another one takes, and then its oldest ones. Whoever stands there is told. */
const complaintsOfLosers = async (first: string, { urls: [url = ''], alter }: Disturbed) => {
  const client = httpClient(url)
  const ask = (cursor: string, wait = 0, accept = 'application/json') =>
    client
      .ask({ method: 'GET', path: `${prefix}/changes?after=${cursor}&wait=${wait}`, headers: { accept } })
      .catch(() => undefined)
  const write = async () => {
    const body = { todoTitle: 'another' }
    const { headers } = await client.ask({ method: 'POST', path: `${prefix}/todos`, body })
    return String(headers['change-cursor'])
  }
  const complaints: string[] = []
  const mustBeGone = async (cursor: string, what: string) => {
    const answers = await Promise.all([ask(cursor), ask(cursor, 60), ask(cursor, 0, 'text/event-stream')])
    const isTold = answers.every(
      (one) => one?.status === 410 && /after=latest/.test(String(one.headers.link)),
    )
    if (!isTold) complaints.push(`a cursor ${what} was answered ${answers.map((one) => one?.status)}`)
  }
  const lost = await write()
  await alter('DELETE FROM change WHERE number = (SELECT max(number) FROM change)')
  await mustBeGone(lost, 'of the future')
  await write()
  await mustBeGone(lost, 'after a change that was lost')
  const newest = await write()
  await alter(`DELETE FROM change WHERE number <= (SELECT max(number) FROM change) - ${keptChanges}`)
  await mustBeGone(first, 'after what was swept')
  const kept = await ask(newest)
  if (kept?.status !== 200) complaints.push(`the newest cursor was answered ${kept?.status}`)
  client.close()
  return complaints
}
