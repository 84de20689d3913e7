import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable } from './tables.ts'

/** The verdicts of one host on the aims, as the cells of a table. */
export interface Aims {
  readonly host: string
  readonly date: string
  readonly commit: string
  readonly form: string
  /** Why it cannot be compared with the others. */
  readonly old?: string
  readonly aims: readonly (readonly string[])[]
}

const folder = join(import.meta.dirname, '../../docs/benchmarks')

/** Writes the verdicts to this host's folder and returns that folder. */
export const saveAims = (aims: Aims) => {
  const own = join(folder, aims.host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'aims.json'), `${JSON.stringify(aims, null, 2)}\n`)
  return own
}

/** All hosts, the newest first and old ones last, and the aims on each. */
export const hostSections = (): readonly string[] => {
  const hosts = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'aims.json')))
    .map((name) => ({ name, ...(JSON.parse(readFileSync(join(folder, name, 'aims.json'), 'utf8')) as Aims) }))
    .toSorted((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1))
  const list = hosts.map(({ name, host, date, commit, form, old }, at) => {
    const title = existsSync(join(folder, name, 'README.md'))
      ? `[${host}](benchmarks/${name}/README.md)`
      : host
    return `${at + 1}. ${title}: ${date}, commit ${commit}, ${form}${old ? `. **Old:** ${old}` : ''}`
  })
  const known = new Map(hosts.toReversed().flatMap(({ aims }) => aims.map((row) => [keyOf(row), row])))
  const rows = [...known.values()].map((row) => [
    ...row.slice(0, 3),
    ...hosts.map(({ aims }) => {
      const [, , , measured = '–', verdict = ''] = aims.find((each) => keyOf(each) === keyOf(row)) ?? []
      return `${measured} ${verdict}`.trim()
    }),
  ])
  const head = ['workload', 'relative to', 'aim', ...hosts.map(({ host }, at) => `${at + 1}. ${host}`)]
  return [`## Hosts\n\n${list.join('\n')}`, `## Aims\n\n${markdownTable({ head, rows })}`]
}

const ageOf = ({ old, date }: Aims) => `${old ? 0 : 1} ${date}`

const keyOf = ([what, relativeTo]: readonly string[]) => `${what}, ${relativeTo}`
