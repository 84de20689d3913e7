import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '#lab/arguments.ts'
import { projectRoot } from '../../test/program.ts'

const usage = `npm --prefix lab run next-node [-- file …]

  file   only these tests; all of them when absent
`

const { positionals } = readArguments(usage, { allowPositionals: true, options: {} })

const { stdout, status } = spawnSync('npm', ['view', 'node', 'dist-tags', 'versions', '--json'], {
  encoding: 'utf8',
})
if (status !== 0) throw new Error('npm could not say which versions of Node there are')
const { versions } = JSON.parse(stdout) as { readonly versions: readonly string[] }
const majorOf = (version: string) => Number.parseInt(version, 10)
const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const own = majorOf(devDependencies.node.replace(/^\D+/, ''))
const next = versions.filter((version) => majorOf(version) > own && !version.includes('-')).at(-1)

if (next === undefined)
  console.log(`There is no Node ${own + 1} yet: the newest that npm has is ${versions.at(-1)}.`)
else {
  console.log(`The tests on Node ${next}:`)
  const test = ['exec', '--yes', `--package=node@${next}`, '--', 'node', join(projectRoot, 'scripts/test.ts')]
  const { status } = spawnSync('npm', [...test, ...positionals], { cwd: projectRoot, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
