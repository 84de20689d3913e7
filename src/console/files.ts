import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type ContentCoding = 'br' | 'gzip' | 'identity'

/** One file of the console, in every content coding in which it was built. */
export interface PageFile {
  readonly mediaType: string
  /** True if the name of the file changes with its content. */
  readonly isImmutable: boolean
  readonly contents: Readonly<Partial<Record<ContentCoding, Buffer>>>
}

/** The files of a folder, by the paths at which they are served. */
export const readFiles = async (folder: URL): Promise<ReadonlyMap<string, PageFile>> => {
  const root = fileURLToPath(folder)
  const names = (await readdir(root, { recursive: true })).filter((name) => mediaTypes[extname(name)])
  return new Map(
    await Promise.all(
      names.map(async (name) => [pathOf(name), await readPageFile(join(root, name))] as const),
    ),
  )
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const pathOf = (name: string) => (name.endsWith('index.html') ? '/' : `/${name}`)

const readPageFile = async (path: string): Promise<PageFile> => {
  const identity = await readFile(path)
  const [br, gzip] = await Promise.all([`${path}.br`, `${path}.gz`].map(readIfExists))
  return {
    mediaType: mediaTypes[extname(path)] ?? 'application/octet-stream',
    isImmutable: !path.endsWith('.html'),
    contents: { identity, ...(br && { br }), ...(gzip && { gzip }) },
  }
}

const readIfExists = (path: string) =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
