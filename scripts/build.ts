import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { commit } from '#src/version.ts'
import { manualPage } from './man.ts'

/**
 * Builds the published form of the sources in dist/lib. Types are stripped but lines stay where they are, so that a stack
 * trace of the package points into the sources. (Node does not strip types below node_modules.)
 */
const root = join(import.meta.dirname, '..')
const sources = join(root, 'src')
const made = join(root, 'dist/lib')
const client = join(root, 'dist/client')

const isLeftOut = (path: string) =>
  /\.test\.ts$/.test(path) || path.startsWith('console/app/') || path === 'console/make.ts'

const assets = /\.sql$/

/** File names in imports, and where a thread is started from a file. */
const specifier = /((?:from|import|import\(|require\(|resolve\(|new URL\()\s*'(?:\.\.?\/|#)[^'\n]+)\.ts'/g

const toJavaScript = (text: string) => text.replace(specifier, "$1.js'")

const copySources = () => {
  for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = relative(sources, join(entry.parentPath, entry.name))
    if (isLeftOut(path)) continue
    const to = join(made, path)
    mkdirSync(dirname(to), { recursive: true })
    if (path.endsWith('.ts')) writeFileSync(to.replace(/\.ts$/, '.js'), stripped(join(sources, path)))
    else if (path.endsWith('.js')) writeFileSync(to, toJavaScript(readFileSync(join(sources, path), 'utf8')))
    else if (assets.test(path)) cpSync(join(sources, path), to)
  }
}

/** The image runs the file through a link, without npm, which would have made it executable. */
const makeCommand = () => chmodSync(join(made, 'main.js'), 0o755)

const stripped = (path: string) => toJavaScript(stripTypeScriptTypes(readFileSync(path, 'utf8')))

/** The inner package.json, which maps `#core/…` and the like, and holds the version. */
const writePackage = () => {
  const { version, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const moved = Object.entries(imports as Record<string, string>)
    .filter(([, to]) => to.startsWith('./src/'))
    .map(([name, to]) => [name, to.replace('./src/', './')])
  const inner = {
    name: 'rollcall',
    version,
    commit: process.env.COMMIT ?? commit(),
    private: true,
    type: 'module',
    imports: Object.fromEntries(moved),
  }
  writeFileSync(join(made, 'package.json'), `${JSON.stringify(inner, undefined, 2)}\n`)
}

const declareTypes = () => {
  const types = join(root, 'node_modules/.bin/tsc')
  execFileSync(types, ['-p', join(root, 'scripts/types.json')], { stdio: 'inherit' })
  for (const file of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const path = join(made, file)
    writeFileSync(
      path,
      toJavaScript(readFileSync(path, 'utf8').replaceAll(/"((?:\.\.?\/|#)[^"\n]*)"/g, "'$1'")),
    )
  }
}

/** The client by itself, for programs that only call a service. */
const copyClient = () => {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const own = {
    ...{ name: 'rollcall-client', version, private: true, license, type: 'module', sideEffects: false },
    description: 'The client of Rollcall, for Node, browsers and workers. It needs only fetch.',
    imports: { '#core/*': './types/core/*', '#resources/*': './types/resources/*' },
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    engines: { node: '>=20.3' },
  }
  rmSync(client, { recursive: true, force: true })
  cpSync(join(made, 'client'), client, { recursive: true })
  copyTypes()
  cpSync(join(root, 'LICENSE'), join(client, 'LICENSE'))
  cpSync(join(sources, 'client/README.md'), join(client, 'README.md'))
  writeFileSync(join(client, 'package.json'), `${JSON.stringify(own, undefined, 2)}\n`)
}

/** Copies the types outside the client's folder that it imports, and those that they import. */
const copyTypes = () => {
  const own = readdirSync(client).filter((name) => name.endsWith('.d.ts'))
  const named = new Set(own.flatMap((name) => typesNamedIn(join(client, name)).filter(isOutside)))
  for (const path of named) {
    const to = join(client, 'types', path)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(made, path), to)
    for (const further of typesNamedIn(to, dirname(path))) named.add(further)
  }
}

const isOutside = (path: string) => path.includes('/')

const typesNamedIn = (file: string, folder = '') =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(#?)([^']+)\.js'/g)].map(
    ([, isFromRoot, path]) => join(isFromRoot ? '' : folder, `${path}.d.ts`),
  )

const copyConsole = () => {
  execFileSync(process.execPath, [join(sources, 'console/make.ts')], { stdio: 'inherit' })
  cpSync(join(root, 'dist/console'), join(made, 'dist/console'), { recursive: true })
  copyFontLicences()
}

/** Each copy of a font must come with its licence. */
const copyFontLicences = () => {
  const fonts = join(sources, 'console/app/fonts')
  for (const name of readdirSync(fonts))
    if (name.startsWith('OFL-')) cpSync(join(fonts, name), join(made, 'dist/console/assets', name))
}

rmSync(made, { recursive: true, force: true })
copySources()
makeCommand()
writePackage()
writeFileSync(join(made, 'rollcall.1'), await manualPage())
declareTypes()
copyClient()
copyConsole()
