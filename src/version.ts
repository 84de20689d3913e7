import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version in the nearest package.json, whether run from source or installed. */
export const version: string = JSON.parse(
  readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'),
).version
