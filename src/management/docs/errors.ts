import type { Locale } from '#core/locale.ts'
import { type ErrorTable, linesOf } from '#core/words.ts'
import { isRefusal, statusOfCode } from '#http/openapi/errors.ts'
import { type Html, html, prose } from './html.ts'
import { page } from './page.ts'

const headings = {
  en: {
    errors: 'Error codes',
    intro:
      'Every refusal has a code that never changes and a message in the language of the request. The first table lists the codes of whole responses, the second those of their details.',
    refusals: 'Responses',
    details: 'Details',
    detail: 'Detail',
    means: 'What it means',
    why: 'Why it happens',
    cure: 'What to do',
    all: 'All error codes',
    unknown: 'No such error code',
    unknownWhy: 'This service has no error code of that name.',
    quote: 'If you ask for help, quote the X-Track of the response.',
  },
  ja: {
    errors: 'エラーコード',
    intro:
      'すべての拒否応答には、変わることのないコードと、リクエストの言語によるメッセージがあります。応答全体のコードに続けて、詳細のコードを示します。',
    refusals: '応答',
    details: '詳細',
    detail: '詳細',
    means: '意味',
    why: '原因',
    cure: '対処',
    all: 'すべてのエラーコード',
    unknown: '該当するエラーコードがありません',
    unknownWhy: 'この名前のエラーコードは、このサービスにはありません。',
    quote: 'お問い合わせの際は、応答の X-Track をお知らせください。',
  },
} as const satisfies Record<Locale, Record<string, string>>

/** All codes on one page. */
export const errorsPage = (errors: ErrorTable, locale: Locale): Html => {
  const labels = headings[locale]
  const codes = codesOf(errors)
  const rows = (shown: readonly string[]) =>
    shown.map(
      (code) =>
        html`<tr><td class="status">${statusText(code)}</td><td><a href="/docs/errors/${code}?lang=${locale}">${code}</a></td><td>${linesOf(errors[code]?.[locale] ?? '')[0] ?? ''}</td></tr>`,
    )
  return page({
    locale,
    path: '/docs/errors',
    title: labels.errors,
    body: html`<main class="prose" id="main" tabindex="-1"><h1>${labels.errors}</h1><p class="lead">${labels.intro}</p>
<h2 id="answers">${labels.refusals}</h2><div class="wide"><table><tbody>${rows(codes.filter(isRefusal))}</tbody></table></div>
<h2 id="details">${labels.details}</h2><div class="wide"><table><tbody>${rows(codes.filter((code) => !isRefusal(code)))}</tbody></table></div></main>`,
  })
}

/** One code: what it means, why it happens, what to do. */
export const errorPage = (errors: ErrorTable, locale: Locale, code: string): Html | undefined => {
  const text = codesOf(errors).includes(code) && errors[code]
  if (!text) return undefined
  const [message = '', ...explanation] = linesOf(text[locale])
  const labels = headings[locale]
  const sections = (['means', 'why', 'cure'] as const).map(
    (name, at) => html`<h2>${labels[name]}</h2><p>${prose(explanation[at] ?? '')}</p>`,
  )
  return page({
    locale,
    path: `/docs/errors/${code}`,
    title: code,
    body: html`<main class="prose" id="main" tabindex="-1"><p class="above"><a href="/docs/errors?lang=${locale}">${labels.all}</a></p>
<h1><span class="status">${statusText(code) || labels.detail}</span> <code>${code}</code></h1>
<p class="lead">${message}</p>
${sections}<p class="note">${labels.quote}</p></main>`,
  })
}

/** A person who mistyped a code gets a page, too. */
export const unknownErrorPage = (locale: Locale): Html =>
  page({
    locale,
    path: '/docs/errors',
    title: headings[locale].unknown,
    body: html`<main class="prose" id="main" tabindex="-1"><p class="above"><a href="/docs/errors?lang=${locale}">${headings[locale].all}</a></p>
<h1>${headings[locale].unknown}</h1><p class="lead">${headings[locale].unknownWhy}</p></main>`,
  })

/** A case of a code has no page of its own. */
const codesOf = (errors: ErrorTable) =>
  Object.keys(errors)
    .filter((code) => isRefusal(code) || !code.includes('.'))
    .sort()

const statusText = (code: string) => (isRefusal(code) ? String(statusOfCode(code)) : '')
