import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Locale, locales, lookupLocale } from '#core/locale.ts'
import { memoizeSuccess } from '#core/once.ts'
import { notFound } from '#core/problem.ts'
import { answerUnlessRead } from '#http/api/read-only.ts'
import { chooseCoding } from '#http/message/representation/accept.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header, isFromBrowser } from '#http/wire/exchange.ts'
import { errorsOf } from '#resources/combined.ts'
import type { Resource } from '#resources/resource.ts'
import { describe } from './described.ts'
import { codePath, type DocumentText, documentsOf } from './documents.ts'
import { type ContentCoding, type PageFile, readFiles } from './files.ts'
import { isStale } from './freshness.ts'
import { paths } from './paths.ts'

interface ConsoleOptions {
  /** The issuer of tokens, if access is by token. */
  readonly issuer: string | undefined
  readonly resources: readonly Resource[]
  readonly locale: Locale
}

/** Serves the console. The first request builds its files if they are missing or older than their sources. */
export const consolePage = ({ issuer, resources, locale }: ConsoleOptions): Responder => {
  const policy = consolePolicy(issuer)
  const loadFiles = memoizeSuccess(() => readBuiltFiles())
  const loadDocuments = memoizeSuccess(async () => {
    const page = (await loadFiles()).get('/')?.contents.identity
    return documentsOf(String(page), errorsOf(resources))
  })
  const described = JSON.stringify(describe(resources))
  return async (exchange) => {
    const { path } = exchange.target
    if (path === '/docs' || path.startsWith('/docs/')) {
      const document = (await loadDocuments())(path, localeOf(exchange, locale))
      exchange.routePattern = path.startsWith(codePath) ? `${codePath}:code` : path
      return answerUnlessRead(exchange) ?? documentAnswer(exchange, document, policy)
    }
    if (path === '/resources.json') {
      exchange.routePattern = path
      const document = { status: 200, type: 'application/json', text: described }
      return answerUnlessRead(exchange) ?? documentAnswer(exchange, document, policy)
    }
    const files = await loadFiles()
    const file = files.get(path)
    const page = files.get('/')
    // A browser gets the page, which then says that the path does not exist.
    if (!file) {
      if (!page || !isFromBrowser(exchange)) throw notFound()
      return { ...fileAnswer(exchange, page, policy), status: 404 }
    }
    exchange.routePattern = file.isImmutable ? '/assets' : '/'
    return answerUnlessRead(exchange) ?? fileAnswer(exchange, file, policy)
  }
}

/** A language named in the address takes precedence over that of the browser. */
const localeOf = (exchange: Exchange, fallback: Locale): Locale => {
  const requested = new URLSearchParams(exchange.target.query).get('lang')
  const accepted = lookupLocale(header(exchange, 'accept-language'), fallback)
  return locales.find((locale) => locale === requested) ?? accepted
}

/** With these header fields, no page of another origin can embed these files or keep a reference to their windows. */
const isolation = ['Cross-Origin-Resource-Policy', 'same-origin', 'Cross-Origin-Opener-Policy', 'same-origin']

const documentAnswer = async (
  exchange: Exchange,
  { status, type, text }: DocumentText,
  contentSecurityPolicy: string,
): Promise<Answer> => {
  const headers = [...isolation, 'Content-Type', type, 'Cache-Control', 'no-cache']
  headers.push('Vary', 'Accept-Language, Accept-Encoding')
  const coding = codingForText(header(exchange, 'accept-encoding'), text)
  return { ...(await textAnswer(headers, text, coding)), status, contentSecurityPolicy }
}

/** Retries after an error, because another process may be replacing the files at this moment. */
const readBuiltFiles = (attempts = 3): ReturnType<typeof readFiles> =>
  buildAndRead().catch((error: unknown) => {
    if (attempts === 1) throw error
    return readBuiltFiles(attempts - 1)
  })

const buildAndRead = async () => {
  if (await isStale()) await promisify(execFile)(process.execPath, [fileURLToPath(paths.buildScript)])
  return readFiles(paths.built)
}

const fileAnswer = (exchange: Exchange, file: PageFile, contentSecurityPolicy: string): Answer => {
  const available = (['br', 'gzip', 'identity'] as const).filter((coding) => file.contents[coding])
  const coding = (chooseCoding(header(exchange, 'accept-encoding'), available) ?? 'identity') as ContentCoding
  const headers = [
    ...isolation,
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

/** Lets the console load from its own origin, and connect to it and to the issuer of tokens. */
const consolePolicy = (issuer: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${issuer ? ` ${new URL(issuer).origin}` : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
