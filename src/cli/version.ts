import { readFileSync } from 'node:fs'

/** The version in the package's own file: beside the sources, and beside what is made of them. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
