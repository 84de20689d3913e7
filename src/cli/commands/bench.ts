import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { print } from '#src/cli/output.ts'

export const benchCommand = () =>
  new Command('bench')
    .description('Say how to measure this service, and beside others, on your machine.')
    .addHelpText('after', '\nExample:\n  rollcall bench')
    .action(async () => print(words(folderOfClone())))

/** The package has no bench, which would bring along the services that it compares with. */
const folderOfClone = (): string | undefined => {
  const folder = dirname(findPackageJSON(import.meta.url) ?? '')
  return existsSync(join(folder, 'bench', 'bench.ts')) ? folder : undefined
}

const words = (folder: string | undefined) => `${where(folder)}

  npm run bench                 the main peers, three minutes
  npm run bench -- full         all peers and workloads
  npm run bench -- --help       the rest

Whoever wants nothing but the numbers of a running service looks at /metrics of its management listener.`

const where = (folder: string | undefined) =>
  folder
    ? `In ${folder}:`
    : 'The bench is in the repository, not in the package. In a clone of it, after npm ci:'
