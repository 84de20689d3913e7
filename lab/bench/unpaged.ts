import { once } from 'node:events'
import { get } from 'node:http'
import type { Running } from './server.ts'

export interface UnpagedResult {
  readonly bytes: number
  readonly megabytesPerSecond: number
  /** Peak memory above that before the list. */
  readonly extraBytes: number
}

const watchEveryMs = 20

/** Reads the whole list as one array. */
export const listAll = async ({ origin, usage }: Running, path: string): Promise<UnpagedResult> => {
  const beforeBytes = usage().residentBytes
  let peakBytes = beforeBytes
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, usage().residentBytes)
  }, watchEveryMs)
  const startedAtMs = performance.now()
  const bytes = await readToEnd(`${origin}${path}`)
  const seconds = (performance.now() - startedAtMs) / 1000
  clearInterval(watch)
  return { bytes, megabytesPerSecond: bytes / 1e6 / seconds, extraBytes: peakBytes - beforeBytes }
}

export const readToEnd = async (url: string) => {
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
