import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { print } from '#src/cli/output.ts'

export const benchCommand = () =>
  new Command('bench')
    .description('Explain how to benchmark this service, and compare it with others, on your machine.')
    .addHelpText('after', '\nExample:\n  rollcall bench')
    .action(async () => print(words(folderOfClone())))

/** The package leaves out the bench, which would bring along the services that it compares with. */
const folderOfClone = (): string | undefined => {
  const folder = dirname(findPackageJSON(import.meta.url) ?? '')
  return existsSync(join(folder, 'bench', 'bench.ts')) ? folder : undefined
}

const words = (folder: string | undefined) => `${where(folder)}

  npm run bench                 the main peers, three minutes
  npm run bench -- full         all peers and workloads
  npm run bench -- --help       the rest

For the figures of a running service, see /metrics on its management listener.`

const where = (folder: string | undefined) =>
  folder
    ? `In ${folder}:`
    : 'The bench is in the repository, not in the package. In a clone of the repository, after npm ci:'
