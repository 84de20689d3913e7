import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The folder of the package, wherever this file lies in it. */
const root = new URL('./', pathToFileURL(findPackageJSON(import.meta.url) ?? ''))

/** What the console is built from, and where it is built. */
export const place = {
  maker: new URL('src/console/make.ts', root),
  sources: new URL('src/console/app/', root),
  client: new URL('src/client/', root),
  core: new URL('src/core/', root),
  rooms: new URL('src/resources/', root),
  built: new URL('dist/console/', root),
} as const
