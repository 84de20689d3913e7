import { median } from '#lab/median.ts'
import { needles } from '#lab/people.ts'
import { openClient } from './client.ts'

export interface Search {
  readonly what: string
  readonly medianMs: number
  readonly p99Ms: number
  /** How many the first needle finds. */
  readonly found: number
}

const timesEach = 100

/** Searches for needles that few have, and for needles that many share. */
const byParameter: Readonly<Record<string, readonly string[]>> = {
  'members?emailAddress=': ['member77@example.com', 'MEMBER500@example.com', 'member1*'],
  'members?signId=': ['member77', 'member9*'],
  'members?telephoneNumber=': ['0123456789', '01*', '0987*'],
  'members?q=': ['member77@', 'anderson', '0123', 'garcia'],
  'members?genderCode=': ['0', '1', '2'],
  'members?role=': ['administrator', 'suspended'],
  'members?bornFrom=': ['1960-01-01', '2008-12-01', '2008-12-01&bornTo=2008-12-31'],
  'members?birthdayFrom=': ['12-28&birthdayTo=01-04', '02-29&birthdayTo=03-01'],
  'members?modifiedFrom=': ['2020-01-01', '2999-01-01'],
  'todos?title=': ['call member 77', 'nobody', 'member'],
}

const searchesFor = [
  ...Object.entries(needles).map(([what, list]) => [`name, ${what}`, 'members?name=', list] as const),
  ...Object.entries(byParameter).map(
    ([path, list]) => [path.replace('?', ', by ').slice(0, -1), path, list] as const,
  ),
]

/** Requests the first page with its totals, one search after the other. */
export const search = async (origin: string, times = timesEach): Promise<readonly Search[]> => {
  const client = openClient(origin)
  const searchOnce = async (path: string, needle: string) => {
    const startedAtMs = performance.now()
    const { status, body } = await client.request('GET', `/api/v1/${path}${encodeURI(needle)}&page=0&size=20`)
    const ms = performance.now() - startedAtMs
    if (status !== 200) throw new Error(`a search for ${path}${needle} answered ${status}: ${body}`)
    return { ms, found: Number((JSON.parse(body) as { totalElements: number }).totalElements) }
  }
  const searches: Search[] = []
  for (const [what, path, list] of searchesFor) {
    const answers = []
    for (let turn = 0; turn < times; turn++)
      answers.push(await searchOnce(path, list[turn % list.length] ?? ''))
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
