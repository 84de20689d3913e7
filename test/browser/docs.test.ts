import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'

after(closeBrowser)

suite('the documentation in a browser', { skip }, () => {
  test('the reference shows every operation and sends requests to the API', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`)
    const create = page.locator('#createTodo')
    await create.waitFor()
    assert.equal(await page.locator('section.operation:has(.method)').count(), 15)
    await create.locator('summary', { hasText: 'Try it' }).click()
    await create.getByRole('button', { name: 'Send' }).click()
    assert.equal(await create.locator('[role=status] strong').textContent(), '201 Created')
    const read = page.locator('#getTodo')
    const { todoId } = ((await api('GET /todos')).body as { todoId: string }[])[0] ?? { todoId: '' }
    await read.locator('summary', { hasText: 'Try it' }).click()
    await read.getByLabel('todoId').fill(todoId)
    await read.getByRole('button', { name: 'Send' }).click()
    assert.match(
      (await read.locator('[role=status] pre').last().textContent()) ?? '',
      /"todoTitle": "Buy milk"/,
    )
  })

  test('a long answer is shown in part, with the number of characters left out', async (t) => {
    const api = await startApp(t)
    for (const [locale, send, left] of [
      ['en-GB', 'Send', '… 25,007 more characters are not shown.'],
      ['ja-JP', '送信', '… 残りの 25,007 文字は表示していません。'],
    ] as const) {
      const page = await openPage(t, 'about:blank', { locale })
      await page.route('**/api/v1/todos', (route) => route.fulfill({ json: 'x'.repeat(125_005) }))
      await page.goto(`${api.management}/docs`)
      const list = page.locator('#listTodos')
      await list.locator('summary', { hasText: /^(Try it|試す)$/ }).click()
      await list.getByRole('button', { name: send }).click()
      await list.getByText(left).waitFor()
      const shown = (await list.locator('[role=status] pre').last().textContent()) ?? ''
      assert.equal(shown.slice(shown.indexOf('"x')).length, 100_000)
    }
  })

  test('axe finds nothing on the documentation, in light or dark', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`)
    await page.locator('#createTodo').waitFor()
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })')
    assert.deepEqual(await violationsInBothLights(page), [])
    for (const path of ['/docs/errors', '/docs/errors/e.xx.fw.8003?lang=ja']) {
      await page.goto(api.management + path)
      assert.deepEqual(await violationsInBothLights(page), [], path)
    }
  })

  test('in Japanese all but the OpenAPI document is Japanese, and its text is marked as English', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`, { locale: 'ja-JP' })
    const create = page.locator('#createTodo')
    await create.locator('summary', { hasText: '試す' }).click()
    await create.getByRole('button', { name: '送信' }).click()
    await create.getByText('201 Created').waitFor()
    assert.equal(await create.locator('h3').getAttribute('lang'), 'en')
    await create.locator('summary', { hasText: /^応答$/ }).click()
    await create.getByRole('link', { name: /^e\./ }).first().click()
    await page.waitForURL(/errors\/.*lang=ja$/)
    await page.getByRole('link', { name: 'English' }).click()
    await page.getByRole('link', { name: 'Reference' }).click()
    await create.locator('summary', { hasText: 'Try it' }).waitFor()
  })

  test('on a narrow phone nothing is wider than the page', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`, { viewport: { width: 320, height: 640 } })
    await page.locator('#createTodo').waitFor()
    for (const path of ['/docs', '/docs/errors']) {
      await page.goto(api.management + path)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, path)
      const left = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => one.getBoundingClientRect().left)
      assert.equal(await left('.brand'), await left('h1'), path)
    }
  })

  test('after a 401 the reference can sign in, and the request succeeds', async (t) => {
    const api = await startApp(t, { ACCESS: 'basic', ADMIN_SIGN_ID: 'root', ADMIN_PASSWORD: 'correct horse' })
    const page = await openPage(t, `${api.management}/docs`)
    const list = page.locator('#listTodos')
    await list.locator('summary', { hasText: 'Try it' }).click()
    const send = async () => {
      await list.getByRole('button', { name: 'Send' }).press('Enter')
      await list.locator('button:not([aria-disabled]):focus').waitFor()
      return list.locator('[role=status] strong').textContent()
    }
    assert.equal(await send(), '401 Unauthorized')
    await page.getByRole('textbox', { name: 'Sign id' }).fill('root')
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse')
    assert.equal(await send(), '200 OK')
  })
})
