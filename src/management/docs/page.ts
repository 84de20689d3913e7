import { type Locale, locales } from '#core/locale.ts'
import { type Html, html } from './html.ts'

export interface Page {
  readonly locale: Locale
  readonly path: string
  readonly title: string
  readonly body: Html
  /** The module that builds the rest of the page. */
  readonly script?: string
}

const names = {
  en: {
    self: 'English',
    language: 'Language',
    skip: 'Skip to the content',
    reference: 'Reference',
    errors: 'Errors',
  },
  ja: { self: '日本語', language: '言語', skip: '本文へ移動', reference: 'リファレンス', errors: 'エラー' },
} as const satisfies Record<Locale, Record<string, string>>

/** The frame of every page of the docs. Its links keep the language. */
export const page = ({ locale, path, title, body, script }: Page): Html => {
  const labels = names[locale]
  const languages = locales.map((one) =>
    one === locale
      ? html`<span aria-current="true" lang="${one}">${names[one].self}</span>`
      : html`<a href="${path}?lang=${one}" hreflang="${one}" lang="${one}">${names[one].self}</a>`,
  )
  const link = (to: string, text: string) =>
    to === path
      ? html`<a href="${to}?lang=${locale}" aria-current="page">${text}</a>`
      : html`<a href="${to}?lang=${locale}">${text}</a>`
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rollcall</title>
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" href="data:,">${
    script === undefined
      ? ''
      : html`
<script type="module" src="${script}"></script>`
  }
</head>
<body>
<a class="skip" href="#main">${labels.skip}</a>
<header class="top"><a class="brand" href="/">Rollcall</a><nav aria-label="Rollcall">${link('/docs', labels.reference)} ${link('/docs/errors', labels.errors)} <a href="/api/v1/openapi.json">openapi.json</a></nav><nav class="languages" aria-label="${labels.language}">${languages}</nav></header>
${body}
</body>
</html>
`
}
