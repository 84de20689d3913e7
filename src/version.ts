import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version that the nearest package says, where it runs from the sources and where it was installed. */
export const version: string = JSON.parse(
  readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
).version
