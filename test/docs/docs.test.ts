import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allWords } from '#resources/words.ts'
import { startApp } from '#test/harness.ts'

/** `Pattern.oneOf` is a variant of the message of `Pattern`, not a code of its own. */
const codes = Object.keys(allWords.en).filter((name) => name.startsWith('e.') || !name.includes('.'))

test('every code has a page in each language, and is in the index', async (t) => {
  const { management } = await startApp(t)
  for (const [locale, heading] of [
    ['en', 'What to do'],
    ['ja', '対処'],
  ]) {
    const index = await (await fetch(`${management}/docs/errors?lang=${locale}`)).text()
    for (const code of codes) {
      assert.ok(index.includes(`<a href="/docs/errors/${code}?lang=${locale}">`), code)
      const page = await (await fetch(`${management}/docs/errors/${code}?lang=${locale}`)).text()
      assert.ok(page.includes(`<html lang="${locale}">`) && page.includes(`<h2>${heading}</h2>`), code)
    }
  }
})

test('the page of e.xx.fw.8003 shows a weak ETag, in each language', async (t) => {
  const { management } = await startApp(t)
  for (const locale of ['en', 'ja'])
    assert.match(
      await (await fetch(`${management}/docs/errors/e.xx.fw.8003?lang=${locale}`)).text(),
      /<code>W\/[^<]*<\/code>/,
    )
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

test('every page has the same header, in the language of the page, and its links keep it', async (t) => {
  const { management } = await startApp(t)
  for (const locale of ['en', 'ja']) {
    const headers = await Promise.all(
      ['/docs', '/docs/errors', '/docs/errors/NotNull'].map(async (path) => {
        const page = await (await fetch(`${management}${path}?lang=${locale}`)).text()
        assert.ok(page.includes(`<html lang="${locale}">`), path)
        const other = locale === 'en' ? 'ja' : 'en'
        assert.ok(page.includes(`href="${path}?lang=${other}" hreflang="${other}"`), path)
        assert.ok(page.includes('>openapi.json</a>'), path)
        for (const to of ['/docs', '/docs/errors'])
          assert.ok(page.includes(`href="${to}?lang=${locale}"`), path)
        return (/<header.*<\/header>/.exec(page)?.[0] ?? '').replaceAll(
          / aria-current="page"|\/docs[^?]*/g,
          '',
        )
      }),
    )
    assert.equal(new Set(headers).size, 1)
  }
})

test('type in problem details is the address of an existing page', async (t) => {
  const api = await startApp(t)
  const answer = await fetch(`${api.management}/api/v1/todos/x`, {
    headers: { Accept: 'application/problem+json, application/json;q=0.9' },
  })
  const { type } = (await answer.json()) as { type: string }
  assert.equal((await fetch(new URL(type, answer.url))).status, 200)
})

test('type in problem details is absolute if PUBLIC_URL is set', async (t) => {
  const api = await startApp(t, { PUBLIC_URL: 'https://rollcall.example' })
  const { body } = await api('GET /todos/x', undefined, {
    Accept: 'application/problem+json, application/json;q=0.9',
  })
  assert.equal((body as { type: string }).type, 'https://rollcall.example/docs/errors/e.xx.fw.5001')
})

test('an unknown path below /docs is 404, and POST of a page is 405', async (t) => {
  const { management } = await startApp(t)
  for (const path of [
    '/docs/',
    '/docs/errors/',
    '/docs/errors/nothing',
    '/docs/errors/toString',
    '/docs/../app.ts',
  ])
    assert.equal((await fetch(management + path)).status, 404, path)
  assert.equal((await fetch(`${management}/docs`, { method: 'POST' })).status, 405)
})

test('an unknown error code gets a page that leads to all of them', async (t) => {
  const { management } = await startApp(t)
  for (const [locale, words] of [
    ['en', 'No such error code'],
    ['ja', '該当するエラーコードがありません'],
  ]) {
    const answer = await fetch(`${management}/docs/errors/e.xx.fw.9999?lang=${locale}`)
    assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'text/html; charset=utf-8'])
    const page = await answer.text()
    assert.ok(page.includes(`<h1>${words}</h1>`) && page.includes(`href="/docs/errors?lang=${locale}"`))
    assert.ok(!page.includes('9999'))
  }
})

test('no page allows foreign or inline scripts and styles, or contains inline ones', async (t) => {
  const { management } = await startApp(t)
  for (const path of ['/docs', '/docs/errors', '/docs/errors/NotNull']) {
    const answer = await fetch(management + path)
    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(await answer.text(), / style=| on\w+=|<script>/)
  }
})
