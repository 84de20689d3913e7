import type { Locale } from '#core/locale.ts'
import { type Html, html } from './html.ts'
import { page } from './page.ts'

const words = {
  en: {
    title: 'API reference',
    operations: 'Operations',
    reading: 'Loading the document …',
    noscript: 'This page is built in the browser from the OpenAPI document and needs JavaScript.',
  },
  ja: {
    title: 'API リファレンス',
    operations: '操作',
    reading: 'ドキュメントを読み込んでいます…',
    noscript: 'このページは OpenAPI ドキュメントからブラウザーで作られるため、JavaScript が必要です。',
  },
} as const satisfies Record<Locale, Record<string, string>>

/** The frame of the reference, which the browser builds from the document. */
export const referencePage = (locale: Locale): Html => {
  const labels = words[locale]
  return page({
    locale,
    path: '/docs',
    title: labels.title,
    script: '/docs/reference.js',
    body: html`<div class="columns">
<nav class="side" aria-label="${labels.operations}" id="side"></nav>
<main id="main" tabindex="-1"><p id="state" role="status">${labels.reading}</p><noscript><p>${labels.noscript}</p></noscript></main>
</div>`,
  })
}
