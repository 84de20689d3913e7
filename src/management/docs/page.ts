import { type Locale, locales } from '#core/locale.ts'
import { type Html, html } from './html.ts'

export interface Page {
  readonly locale: Locale
  readonly path: string
  readonly title: string
  readonly body: Html
}

const names: Readonly<
  Record<Locale, { readonly self: string; readonly reference: string; readonly errors: string }>
> = {
  en: { self: 'English', reference: 'Reference', errors: 'Errors' },
  ja: { self: '日本語', reference: 'リファレンス', errors: 'エラー' },
}

/** What stands around every page of the docs. */
export const page = ({ locale, path, title, body }: Page): Html => {
  const said = names[locale]
  const languages = locales.map((one) =>
    one === locale
      ? html`<span aria-current="true" lang="${one}">${names[one].self}</span>`
      : html`<a href="${path}?lang=${one}" hreflang="${one}" lang="${one}">${names[one].self}</a>`,
  )
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rollcall</title>
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" href="data:,">
</head>
<body class="page">
<header class="top"><a class="brand" href="/">Rollcall</a><nav aria-label="Rollcall"><a href="/docs">${said.reference}</a> <a href="/docs/errors">${said.errors}</a></nav><nav class="languages" aria-label="${said.self}">${languages}</nav></header>
<main>${body}</main>
</body>
</html>
`
}
