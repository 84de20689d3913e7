import type { Outcome } from '#lab/faults/fault.ts'
import { rollcall } from '../../test/operations/child.ts'
import type { Report } from './campaign.ts'

interface Ended {
  readonly databaseUrl: string
  readonly disturbances: string
}

const shownFindings = 5

/** What the campaign and the losers found, and whether the chain of the log is whole. */
export const changesOutcome = async (
  { findings, figures }: Report,
  losers: readonly string[],
  { databaseUrl, disturbances }: Ended,
): Promise<Outcome> => {
  const { code, out, err } = await rollcall(['verify'], { environment: { DATABASE_URL: databaseUrl } })
  const { changes, told, lists, acknowledgedWrites } = figures
  const broken = [
    ...findings.slice(0, shownFindings).map(({ check, key, says }) => `${check} ${key}: ${says}`),
    ...losers,
    ...(code === 0 ? [] : [`verify ended with ${code}: ${out}${err}`]),
  ]
  const wrong = findings.length + losers.length
  return {
    figure: `${disturbances}: ${changes} changes of ${acknowledgedWrites} writes, told ${told} times, and ${lists} lists: ${wrong} lost, doubled, split or out of order`,
    broken,
    figures,
  }
}
