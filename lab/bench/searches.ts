import { median } from '#lab/median.ts'
import { needles } from '#lab/people.ts'
import { openClient } from './client.ts'

export interface Search {
  readonly what: string
  readonly medianMs: number
  readonly p99Ms: number
  /** How many members the first needle finds. */
  readonly found: number
}

const times = 100

/** Requests the first page with its totals, one search after the other. */
export const search = async (origin: string): Promise<readonly Search[]> => {
  const client = openClient(origin)
  const searchOnce = async (needle: string) => {
    const startedAtMs = performance.now()
    const { status, body } = await client.request(
      'GET',
      `/api/v1/members?name=${encodeURIComponent(needle)}&page=0&size=20`,
    )
    const ms = performance.now() - startedAtMs
    if (status !== 200) throw new Error(`a search for ${needle} answered ${status}: ${body}`)
    return { ms, found: Number((JSON.parse(body) as { totalElements: number }).totalElements) }
  }
  const searches: Search[] = []
  for (const [what, list] of Object.entries(needles)) {
    const answers = []
    for (let turn = 0; turn < times; turn++) answers.push(await searchOnce(list[turn % list.length] ?? ''))
    const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
    searches.push({
      what,
      medianMs: median(sorted),
      p99Ms: sorted[Math.ceil(times * 0.99) - 1] ?? Number.NaN,
      found: answers[0]?.found ?? 0,
    })
  }
  client.close()
  return searches
}
