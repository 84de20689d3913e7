import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onceDone } from '#core/once.ts'
import { notFound } from '#core/problem.ts'
import type { Answer } from '#http/answer.ts'
import type { Responder } from '#http/api.ts'
import { type Exchange, header } from '#http/exchange.ts'
import { unlessRead } from '#http/read-only.ts'
import { chooseCoding } from '#http/representation/accept.ts'
import { type Coding, type PageFile, readFiles } from './files.ts'
import { isStale } from './freshness.ts'
import { place } from './place.ts'
import { consolePolicy } from './policy.ts'

interface ConsoleParts {
  /** Who gives out tokens, where tokens are what lets one in. */
  readonly issuer: string | undefined
}

/** The page for people. Its files are made where they are missing or older than their sources, when it is first asked for. */
export const consolePage = ({ issuer }: ConsoleParts): Responder => {
  const policy = consolePolicy(issuer)
  const opened = onceDone(() => openFiles())
  return async (exchange) => {
    const file = (await opened()).get(exchange.target.path)
    if (!file) throw notFound()
    exchange.place = file.isLasting ? '/assets' : '/'
    return unlessRead(exchange) ?? answer(exchange, file, policy)
  }
}

/** Another process may be making them just now. */
const openFiles = (attempts = 3): ReturnType<typeof readFiles> =>
  openOnce().catch((error: unknown) => {
    if (attempts === 1) throw error
    return openFiles(attempts - 1)
  })

const openOnce = async () => {
  if (await isStale()) await promisify(execFile)(process.execPath, [fileURLToPath(place.maker)])
  return readFiles(place.built)
}

const answer = (exchange: Exchange, file: PageFile, contentSecurityPolicy: string): Answer => {
  const offered = (['br', 'gzip', 'identity'] as const).filter((coding) => file.contents[coding])
  const coding = (chooseCoding(header(exchange, 'accept-encoding'), offered) ?? 'identity') as Coding
  const headers = [
    'Content-Type',
    file.mediaType,
    'Cache-Control',
    cacheControlOf(file),
    'Vary',
    'Accept-Encoding',
  ]
  if (coding !== 'identity') headers.push('Content-Encoding', coding)
  const body = file.contents[coding] ?? Buffer.alloc(0)
  return { status: 200, headers, contentSecurityPolicy, body }
}

const cacheControlOf = ({ isLasting }: PageFile) =>
  isLasting ? 'public, max-age=31536000, immutable' : 'no-cache'
