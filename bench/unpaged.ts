import { once } from 'node:events'
import { get } from 'node:http'
import type { Running } from './server.ts'

export interface Unpaged {
  readonly bytes: number
  readonly megabytesPerSecond: number
  /** Peak memory above that before the list. */
  readonly extraBytes: number
}

const watchEveryMs = 20

/** Reads the whole list as one array. */
export const listAll = async ({ origin, usage }: Running, path: string): Promise<Unpaged> => {
  const before = usage().residentBytes
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, usage().residentBytes)
  }, watchEveryMs)
  const begun = performance.now()
  const bytes = await drain(`${origin}${path}`)
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watch)
  return { bytes, megabytesPerSecond: bytes / 1e6 / seconds, extraBytes: most - before }
}

export const drain = async (url: string) => {
  let bytes = 0
  const request = get(url)
  const [response] = await once(request, 'response')
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await once(response, 'end')
  return bytes
}
