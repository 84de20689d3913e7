import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onceSucceeded } from '#core/once.ts'
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
  /** The issuer of tokens, if access is by token. */
  readonly issuer: string | undefined
}

/** Serves the console. At the first request, its files are built if they are missing or older than their sources. */
export const consolePage = ({ issuer }: ConsoleParts): Responder => {
  const policy = consolePolicy(issuer)
  const opened = onceSucceeded(() => openFiles())
  return async (exchange) => {
    const file = (await opened()).get(exchange.target.path)
    if (!file) throw notFound()
    exchange.place = file.isImmutable ? '/assets' : '/'
    return unlessRead(exchange) ?? answer(exchange, file, policy)
  }
}

/** Retries, because another process may be replacing the files at this moment. */
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

const cacheControlOf = ({ isImmutable }: PageFile) =>
  isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
