import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitLines } from '#core/error-table.ts'
import { type Locale, locales } from '#core/locale.ts'
import { allErrors } from '#resources/combined.ts'
import { startApp } from '#test/harness.ts'

/** `Pattern.oneOf` is a variant of the message of `Pattern`, not a code of its own. */
const codes = Object.keys(allErrors).filter((name) => name.startsWith('e.') || !name.includes('.'))

test('every error code has a page in each language, which shows all four lines without JavaScript and is listed in the index', async (t) => {
  const { management } = await startApp(t)
  const answer = await fetch(`${management}/docs/errors.json`)
  const json = (await answer.json()) as Record<string, Record<Locale, readonly string[]>>
  assert.deepEqual(Object.keys(json), codes.toSorted())
  for (const locale of locales) {
    const index = await (await fetch(`${management}/docs/errors?lang=${locale}`)).text()
    for (const code of codes) {
      assert.ok(index.includes(`<a href="/docs/errors/${code}?lang=${locale}">`), code)
      const page = await (await fetch(`${management}/docs/errors/${code}?lang=${locale}`)).text()
      assert.ok(page.includes(`<html lang="${locale}">`), code)
      const text = page
        .replaceAll(/<\/?code>/g, '`')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
      for (const line of splitLines(allErrors[code]?.[locale] ?? ''))
        assert.ok(text.includes(`<p>${line}</p>`), line)
      assert.equal(json[code]?.[locale].length, 4)
    }
  }
})

test('a page is in the language of Accept-Language unless the URL names one', async (t) => {
  const { management } = await startApp(t)
  const page = async (query: string) =>
    (
      await fetch(`${management}/docs/errors/e.xx.fw.5001${query}`, { headers: { 'Accept-Language': 'ja' } })
    ).text()
  assert.match(await page(''), /リソースが見つかりません。/)
  assert.match(await page('?lang=en'), /Resource not found\./)
})

test('the pages of the management listener are isolated from those of other origins', async (t) => {
  const { management } = await startApp(t)
  for (const path of ['/', '/docs', '/docs/errors/Size', '/docs/errors.json'])
    for (const name of ['cross-origin-resource-policy', 'cross-origin-opener-policy'])
      assert.equal((await fetch(management + path)).headers.get(name), 'same-origin', path)
})

test('the `type` of problem details is the address of an existing page', async (t) => {
  const api = await startApp(t)
  const answer = await fetch(`${api.management}/api/v1/todos/x`, {
    headers: { Accept: 'application/problem+json, application/json;q=0.9' },
  })
  const { type } = (await answer.json()) as { type: string }
  assert.equal((await fetch(new URL(type, answer.url))).status, 200)
})

test('type in problem details is absolute if PUBLIC_URL is set', async (t) => {
  const api = await startApp(t, { ACCESS: 'open', PUBLIC_URL: 'https://rollcall.example' })
  const { body } = await api('GET /todos/x', undefined, {
    Accept: 'application/problem+json, application/json;q=0.9',
  })
  assert.equal((body as { type: string }).type, 'https://rollcall.example/docs/errors/e.xx.fw.5001')
})

test('an unknown path below /docs is 404', async (t) => {
  const { management } = await startApp(t)
  for (const path of [
    '/docs/',
    '/docs/errors/',
    '/docs/errors/nothing',
    '/docs/errors/toString',
    '/docs/../app.ts',
  ])
    assert.equal((await fetch(management + path)).status, 404, path)
})

test('the page of an unknown error code links to the list of all codes', async (t) => {
  const { management } = await startApp(t)
  for (const [locale, words] of [
    ['en', 'No such error code'],
    ['ja', '該当するエラーコードがありません'],
  ]) {
    const answer = await fetch(`${management}/docs/errors/e.xx.fw.9999?lang=${locale}`)
    assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'text/html; charset=utf-8'])
    const page = await answer.text()
    assert.ok(page.includes(`<h1>${words}</h1>`) && page.includes(`href="/docs/errors?lang=${locale}"`), page)
    assert.ok(!page.includes('9999'))
  }
})

test('no page allows foreign or inline scripts and styles, or contains inline ones', async (t) => {
  const { management } = await startApp(t)
  for (const path of ['/', '/docs', '/docs/errors', '/docs/errors/NotNull']) {
    const answer = await fetch(management + path)
    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(await answer.text(), /<style| style=| on\w+=|<script(?![^>]* src=)/)
  }
})
