import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const lab = join(import.meta.dirname, '..')
const nest = join(lab, 'bench/peers/nest')

/** Installs the dependencies of the peers and builds them, if that is not done. */
export const install = () => {
  const installed = join(lab, 'node_modules/.package-lock.json')
  if (!isUpToDate(installed, join(lab, 'package-lock.json'))) run('npm', ['ci'], lab)
  const built = join(nest, 'dist/main.js')
  if (!isUpToDate(built, join(nest, 'src/main.ts'))) run('npx', ['tsc', '-p', 'tsconfig.json'], nest)
}

const isUpToDate = (target: string, source: string) =>
  existsSync(target) && statSync(target).mtimeMs >= statSync(source).mtimeMs

const run = (command: string, args: readonly string[], cwd: string) => {
  process.stderr.write(`${command} ${args.join(' ')}, once\n`)
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', process.stderr, process.stderr] })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${cwd}`)
}
