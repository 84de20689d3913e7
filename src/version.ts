import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { once } from '#core/once.ts'

const packageFile = findPackageJSON(import.meta.url) ?? ''

interface Package {
  readonly version: string
  /** In a package: written when it was made, and empty if that was not in a clone. */
  readonly commit?: string
}

const own: Package = JSON.parse(readFileSync(packageFile, 'utf8'))

/** The version in the nearest package.json, whether run from source or installed. */
export const version = own.version

/** Where this program lies: a clone, or an installed package. */
export const packageFolder = dirname(packageFile)

/** The commit that is checked out in a clone. */
const checkedOut = () => {
  if (!existsSync(join(packageFolder, '.git'))) return ''
  try {
    const words = ['rev-parse', '--short=12', 'HEAD']
    return execFileSync('git', words, { cwd: packageFolder, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return ''
  }
}

/** The commit that this was made of; empty if that is not known. Asked for only where it is shown: in a clone it takes a process. */
export const commit = once(() => own.commit ?? checkedOut())

/** For people: `0.3.0 (1a2b3c4d5e6f)`. */
export const versionAndCommit = () => (commit() === '' ? version : `${version} (${commit()})`)
