import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { once } from '#core/once.ts'

const packageFile = findPackageJSON(import.meta.url) ?? ''

interface Package {
  readonly version: string
  /** The commit from which the package was built. Empty if it was not built in a clone, absent in a clone. */
  readonly commit?: string
}

const packageJson: Package = JSON.parse(readFileSync(packageFile, 'utf8'))

/** The version in the nearest package.json, both in a clone and in an installed package. */
export const version = packageJson.version

/** The folder of this program: a clone, or an installed package. */
export const packageFolder = dirname(packageFile)

/** The commit that is checked out in the clone. Empty outside a clone. */
const readCheckedOutCommit = () => {
  if (!existsSync(join(packageFolder, '.git'))) return ''
  try {
    const args = ['rev-parse', '--short=12', 'HEAD']
    return execFileSync('git', args, { cwd: packageFolder, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return ''
  }
}

/** The commit of this program. Empty if the commit is unknown. Computed on first use, because a clone has to run git. */
export const commit = once(() => packageJson.commit ?? readCheckedOutCommit())

/** Version and commit for display, such as `0.3.0 (1a2b3c4d5e6f)`. */
export const versionAndCommit = () => (commit() === '' ? version : `${version} (${commit()})`)
