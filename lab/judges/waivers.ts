import { readFile } from 'node:fs/promises'

export interface Waiver {
  readonly judge: string
  readonly rule: string
}

/** The waivers are the rows of the table in the README. */
export const readWaivers = async (): Promise<readonly Waiver[]> => {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| ([a-z]+) +\| `([^`]+)` +\| .+ \|$/gm)
  return [...rows].map(([, judge = '', rule = '']) => ({ judge, rule }))
}
