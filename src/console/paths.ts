import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The folder of the package, wherever this file lies in it. */
const root = new URL('./', pathToFileURL(findPackageJSON(import.meta.url) ?? ''))

/** The folders with the sources of the console, and the folder of the built files. */
export const paths = {
  buildScript: new URL('src/console/make.ts', root),
  sources: new URL('src/console/app/', root),
  client: new URL('src/client/', root),
  core: new URL('src/core/', root),
  resources: new URL('src/resources/', root),
  built: new URL('dist/console/', root),
} as const
