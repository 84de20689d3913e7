import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { startApp } from '../harness.ts'
import { rows } from './table.ts'

const titles = ['Buy milk', 'CAFÉ au lait', '100%_sure!', '牛乳を買う', 'ﾐﾙｸ', 'milkshake']

const found: readonly (readonly [query: string, titles: readonly string[]])[] = [
  ['MILK', ['Buy milk', 'milkshake']],
  ['cafe', ['CAFÉ au lait']],
  ['é', ['Buy milk', 'CAFÉ au lait', '100%_sure!', 'milkshake'].filter((one) => /e|é/i.test(one))],
  ['%_', ['100%_sure!']],
  ['!', ['100%_sure!']],
  ['乳を', ['牛乳を買う']],
  ['ミルク', ['ﾐﾙｸ']],
  ['y m', ['Buy milk']],
  ['none', []],
]

for (const { name, url, skip } of databases)
  test(`${name}: todos are found by any part of their title, whatever its case, width and accents`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    for (const todoTitle of titles) await api('POST /todos', { todoTitle })
    const titlesAt = async (query: string) =>
      rows(await api(`GET /todos?${query}`)).map((one) => one.todoTitle)
    for (const [title, expected] of found) {
      const query = `title=${encodeURIComponent(title)}`
      assert.deepEqual(await titlesAt(query), expected, title)
      const page = (await api(`GET /todos?${query}&page=0&size=1`)).body as { content: readonly unknown[] }
      assert.partialDeepStrictEqual(page, { totalElements: expected.length })
      assert.equal(page.content.length, Math.min(expected.length, 1))
    }
    const [milk] = rows(await api('GET /todos?title=buy'))
    const type = { 'Content-Type': 'application/merge-patch+json' }
    await api(`PATCH /todos/${milk?.todoId}`, '{"todoTitle":"Buy tea","finished":true}', type)
    assert.deepEqual(await titlesAt('title=milk'), ['milkshake'])
    assert.deepEqual(await titlesAt('title=b&finished=true'), ['Buy tea'])
    for (const [query, code] of [
      ['title=', 'NotEmpty'],
      [`title=${'x'.repeat(31)}`, 'Size'],
    ]) {
      const { status, body } = await api(`GET /todos?${query}`)
      assert.equal(status, 400)
      assert.partialDeepStrictEqual(body, { details: [{ target: 'title', code }] })
    }
  })
