import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Makes dist/rollcall: a copy of Node with the published form of the sources and the packages that it needs. */
const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/lib')
const threads = join(root, 'dist/threads')
const config = join(root, 'dist/executable.json')
const output = join(root, 'dist/rollcall')

interface LockedPackage {
  readonly dev?: true
  readonly peer?: true
}

/** The folders of the packages that run with the service. */
const packages = () => {
  const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages
  return Object.keys(locked).filter(
    (folder) => folder !== '' && !locked[folder]?.dev && !locked[folder]?.peer,
  )
}

const filesOf = (folder: string, pattern: string, prefix = '') =>
  globSync(pattern, { cwd: folder, exclude: ['node_modules'] }).map((path) => [
    prefix + path,
    join(folder, path),
  ])

/** Each program of a thread as one file, because threads cannot open the files within the executable. */
const bundleThreads = () =>
  build({
    ...{ entryPoints: globSync(join(built, '**/*.thread.js')), outbase: built, outdir: threads },
    ...{ bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' },
  })

await bundleThreads()
const assets = Object.fromEntries([
  ...filesOf(built, '**/*.{js,json,sql,html,css,svg,woff2,txt,gz,br}'),
  ...filesOf(threads, '**/*.js'),
  ...packages().flatMap((folder) => filesOf(join(root, folder), '**/*.{js,cjs,mjs,json}', `${folder}/`)),
])
writeFileSync(
  config,
  JSON.stringify({
    ...{ main: join(built, 'main.js'), mainFormat: 'module', output },
    ...{ disableExperimentalSEAWarning: true, useVfs: true, assets },
    execArgv: ['--max-semi-space-size=16'],
  }),
)
// One that runs cannot be written to.
rmSync(output, { force: true })
execFileSync(process.execPath, ['--build-sea', config], { stdio: 'inherit' })
