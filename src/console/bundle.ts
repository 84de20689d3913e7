import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { paths } from './paths.ts'

/** Builds the console's files in a new folder, and then replaces the old folder. */
export const bundle = async () => {
  const buildFolder = new URL(`../console-${process.pid}/`, paths.built)
  await mkdir(buildFolder, { recursive: true })
  try {
    const names = await bundleSources(fileURLToPath(new URL('assets/', buildFolder)))
    const page = await readFile(new URL('index.html', paths.sources), 'utf8')
    await writeFile(new URL('index.html', buildFolder), fillPage(page, names))
    await compressAll(buildFolder)
    await putInPlace(buildFolder)
  } finally {
    await rm(buildFolder, { recursive: true, force: true })
  }
}

/** Replaces the old folder. If another process puts its own build there in between, replaces that build too. */
const putInPlace = async (build: URL, attempts = 5): Promise<void> => {
  const old = new URL(`../console-${process.pid}-old/`, paths.built)
  await rename(paths.built, old).catch(() => undefined)
  await rm(old, { recursive: true, force: true })
  try {
    await rename(build, paths.built)
  } catch (error) {
    if (attempts === 1) throw error
    await putInPlace(build, attempts - 1)
  }
}

const browsers = ['chrome125', 'firefox128', 'safari17.5']

/** Builds the sources. Returns the names of the built files by their names without hash, such as `main.js`. */
const bundleSources = async (outdir: string): Promise<ReadonlyMap<string, string>> => {
  const { build } = await import('esbuild')
  const { metafile } = await build({
    entryPoints: ['main.tsx', 'seal.svg'].map((name) => fileURLToPath(new URL(name, paths.sources))),
    tsconfig: fileURLToPath(new URL('tsconfig.json', paths.sources)),
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    // Without this option, every Japanese letter becomes an escape of six characters.
    charset: 'utf8',
    format: 'esm',
    target: browsers,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.svg': 'copy' },
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  return namesOf(metafile)
}

const hashedName = /^(.+)-[A-Z0-9]{8}(\.\w+)$/

const namesOf = ({ outputs }: Metafile) =>
  new Map(
    Object.keys(outputs).map((path) => {
      const name = basename(path)
      const [, stem = '', ending = ''] = hashedName.exec(name) ?? []
      return [stem + ending, name]
    }),
  )

/** Replaces `{{main.js}}` in the page by the name of the built file. */
const fillPage = (page: string, names: ReadonlyMap<string, string>) =>
  page.replace(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const builtName = names.get(name)
    if (builtName === undefined) throw new Error(`the page names ${name}, which was not built`)
    return builtName
  })

const compressible = /\.(html|js|css|svg)$/

const compressAll = async (folder: URL) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name))
  await Promise.all(files.map(({ parentPath, name }) => compressFile(`${parentPath}/${name}`)))
}

const bestBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

const compressFile = async (path: string) => {
  const content = await readFile(path)
  await Promise.all([
    writeFile(`${path}.br`, await promisify(brotliCompress)(content, bestBrotli)),
    writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 })),
  ])
}
