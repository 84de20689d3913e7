import { type ErrorTable, splitLines } from '#core/error-table.ts'
import { type Locale, locales } from '#core/locale.ts'
import { notFound } from '#core/problem.ts'
import { isRefusal, statusOfCode } from '#http/openapi/errors.ts'

/** The explanation of a code, for its page. A code in the details of a refusal, such as `NotNull`, has no status. */
export interface ExplainedCode extends Readonly<Record<Locale, readonly string[]>> {
  readonly status?: number
}

/** The explanation of every code that has a page. A variant, such as `Pattern.cursor`, has none. */
const explainedCodes = (errors: ErrorTable): ReadonlyMap<string, ExplainedCode> =>
  new Map(
    Object.keys(errors)
      .filter((code) => isRefusal(code) || !code.includes('.'))
      .sort()
      .map((code) => [code, explainCode(code, errors[code] as ErrorTable[string])]),
  )

const explainCode = (code: string, text: ErrorTable[string]): ExplainedCode => ({
  ...(isRefusal(code) && { status: statusOfCode(code) }),
  ...(Object.fromEntries(locales.map((locale) => [locale, splitLines(text[locale])])) as Record<
    Locale,
    readonly string[]
  >),
})

export const codePath = '/docs/errors/'

export interface DocumentText {
  readonly status: number
  readonly type: string
  readonly text: string
}

/**
 * The documents below `/docs`. The console renders them. Without JavaScript, the page shows the error codes as plain text. A
 * mistyped code gets a page too.
 */
export const documentsOf = (page: string, errors: ErrorTable) => {
  const codes = explainedCodes(errors)
  const json = JSON.stringify(Object.fromEntries(codes))
  const html = (locale: Locale, title: string, text: string, status = 200): DocumentText => ({
    status,
    type: 'text/html; charset=utf-8',
    text: page
      .replace('<html lang="en">', `<html lang="${locale}">`)
      .replace('<title>Rollcall</title>', `<title>${title} · Rollcall</title>`)
      .replace(/<noscript>.*<\/noscript>/s, () => `<noscript>${text}</noscript>`),
  })
  return (path: string, locale: Locale): DocumentText => {
    const { title, needsScript, all, unknown } = words[locale]
    const index = `<a href="/docs/errors?lang=${locale}">${all}</a>`
    if (path === '/docs') return html(locale, title, `<p>${needsScript}</p><p>${index}</p>`)
    if (path === '/docs/errors') return html(locale, all, `<h1>${all}</h1>${codeList(codes, locale)}`)
    if (path === '/docs/errors.json') return { status: 200, type: 'application/json', text: json }
    if (!path.startsWith(codePath)) throw notFound()
    const code = path.slice(codePath.length)
    const explained = codes.get(code)
    if (!explained) return html(locale, unknown, `<h1>${unknown}</h1><p>${index}</p>`, 404)
    return html(locale, code, `<p>${index}</p>${codeText(code, explained, locale)}`)
  }
}

const words = {
  en: {
    title: 'API reference',
    needsScript:
      'The reference is made from <a href="/api/v1/openapi.json">the OpenAPI document</a> and needs JavaScript.',
    all: 'Error codes',
    unknown: 'No such error code',
  },
  ja: {
    title: 'API リファレンス',
    needsScript:
      'リファレンスは <a href="/api/v1/openapi.json">OpenAPI ドキュメント</a>から作られ、JavaScript が必要です。',
    all: 'エラーコード',
    unknown: '該当するエラーコードがありません',
  },
} as const satisfies Record<Locale, Record<string, string>>

const codeList = (codes: ReadonlyMap<string, ExplainedCode>, locale: Locale) =>
  `<ul>${[...codes].map(([code, explained]) => `<li>${linkTo(code, locale)} ${prose(explained[locale][0])}</li>`).join('')}</ul>`

/** The message, meaning, cause and cure of a code. */
const codeText = (code: string, { status, ...texts }: ExplainedCode, locale: Locale) =>
  [`<h1>${status ?? ''} ${code}</h1>`, ...texts[locale].map((line) => `<p>${prose(line)}</p>`)].join('')

const linkTo = (code: string, locale: Locale) => `<a href="/docs/errors/${code}?lang=${locale}">${code}</a>`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Renders text between backticks as code. */
const prose = (text = '') =>
  text
    .replaceAll(/[&<>]/g, (character) => entities[character] ?? '')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
