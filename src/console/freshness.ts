import { readdir, stat } from 'node:fs/promises'
import { place } from './place.ts'

/** Whether the console was never built, or its sources have changed since. A package without the sources is never stale. */
export const isStale = async (): Promise<boolean> => {
  const changed = await Promise.all([place.sources, place.client, place.core, place.rooms].map(newest))
  const made = await timeOf(new URL('index.html', place.built))
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
