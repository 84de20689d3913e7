import { readFileSync } from 'node:fs'
import { type Locale, locales, lookupLocale } from '#core/locale.ts'
import { notFound } from '#core/problem.ts'
import type { ErrorTable } from '#core/words.ts'
import type { Answer } from '#http/answer.ts'
import type { Responder } from '#http/api.ts'
import { type Exchange, header } from '#http/exchange.ts'
import { unlessRead } from '#http/read-only.ts'
import { codingFor, compress } from '#http/representation/compression.ts'
import { errorPage, errorsPage, unknownErrorPage } from './errors.ts'
import type { Html } from './html.ts'
import { referencePage } from './reference.ts'

interface DocsParts {
  readonly errors: ErrorTable
  readonly locale: Locale
}

/** The pages below `/docs`: the reference, which the browser builds from the document, and the meaning of each code. */
export const docsPages = ({ errors, locale: fallback }: DocsParts): Responder => {
  const files = new Map([
    ['/docs/docs.css', file('docs.css', 'text/css; charset=utf-8')],
    ['/docs/reference.js', file('reference.js', 'text/javascript; charset=utf-8')],
    ['/docs/reference-words.js', file('reference-words.js', 'text/javascript; charset=utf-8')],
  ])
  const pageAt = (path: string, locale: Locale): File | undefined => {
    if (path === '/docs') return htmlFile(referencePage(locale))
    if (path === '/docs/errors') return htmlFile(errorsPage(errors, locale))
    if (!path.startsWith(below)) return undefined
    const explained = errorPage(errors, locale, path.slice(below.length))
    return explained ? htmlFile(explained) : htmlFile(unknownErrorPage(locale), 404)
  }

  return async (exchange) => {
    const { path } = exchange.target
    const found = files.get(path) ?? pageAt(path, localeOf(exchange, fallback))
    if (!found) throw notFound()
    exchange.place = path.startsWith(below) ? `${below}:code` : path
    return unlessRead(exchange) ?? answer(exchange, found)
  }
}

const below = '/docs/errors/'

interface File {
  readonly status: number
  readonly type: string
  readonly text: string
}

const file = (name: string, type: string): File => ({
  status: 200,
  type,
  text: readFileSync(new URL(`./${name}`, import.meta.url), 'utf8'),
})

const htmlFile = ({ text }: Html, status = 200): File => ({ status, type: 'text/html; charset=utf-8', text })

/** A language named in the address takes precedence over that of the browser. */
const localeOf = (exchange: Exchange, fallback: Locale): Locale => {
  const requested = new URLSearchParams(exchange.target.query).get('lang')
  return (
    locales.find((locale) => locale === requested) ??
    lookupLocale(header(exchange, 'accept-language'), fallback)
  )
}

/** The pages load their own files, and call the API on the same origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const answer = async (exchange: Exchange, { status, type, text }: File): Promise<Answer> => {
  const headers = [
    ...['Content-Type', type],
    ...['Cache-Control', 'no-cache'],
    ...['Vary', 'Accept-Language, Accept-Encoding'],
  ]
  const coding = codingFor(header(exchange, 'accept-encoding'), text)
  if (!coding) return { status, headers, contentSecurityPolicy, body: text }
  headers.push('Content-Encoding', coding)
  return { status, headers, contentSecurityPolicy, body: await compress(text, coding) }
}
