import { readdir, stat } from 'node:fs/promises'
import { paths } from './paths.ts'

/** Whether the console was never built, or its sources have changed since. A package without the sources is never stale. */
export const isStale = async (): Promise<boolean> => {
  const changed = await Promise.all([paths.sources, paths.client, paths.core, paths.resources].map(newest))
  const made = await timeOf(new URL('index.html', paths.built))
  return made < Math.max(...changed)
}

const newest = async (folder: URL): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const times = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => timeOf(`${parentPath}/${name}`))
  return Math.max(Number.NEGATIVE_INFINITY, ...(await Promise.all(times)))
}

const timeOf = (path: URL | string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
