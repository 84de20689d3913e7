import { readdir, stat } from 'node:fs/promises'
import { paths } from './paths.ts'

/** True if the console was never built, or its sources have changed since. False in a package without sources. */
export const isStale = async (): Promise<boolean> => {
  const folders = [paths.sources, paths.client, paths.core, paths.resources]
  const sourceTimes = await Promise.all(folders.map(newestTimeIn))
  const builtAt = await modifiedAt(new URL('index.html', paths.built))
  return builtAt < Math.max(...sourceTimes)
}

const newestTimeIn = async (folder: URL): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const times = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => modifiedAt(`${parentPath}/${name}`))
  return Math.max(Number.NEGATIVE_INFINITY, ...(await Promise.all(times)))
}

const modifiedAt = (path: URL | string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
