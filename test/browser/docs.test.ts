import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { widthOf } from './console.ts'
import { basic, signIn } from './signing-in.ts'

after(closeBrowser)

const operationIn = (page: Page, id: string) => {
  const section = page.locator(`#${id}`)
  const answer = section.locator('[role=status]')
  return {
    section,
    line: () => answer.locator('strong').textContent(),
    shown: async () => (await answer.locator('pre').textContent()) ?? '',
    async send() {
      await section.getByRole('button', { name: /^(Send|送信)$/ }).click()
      await section.locator('form:not([aria-busy=true])').waitFor()
    },
    open: () => section.getByRole('button', { name: /^(Try it|試す)/ }).click(),
    write: (text: string) => section.getByLabel('Request').fill(text),
  }
}

const isMethod = /^(?:get|put|post|patch|delete)$/

suite('the documentation in a browser', { skip }, () => {
  test('the reference shows and finds every operation, and sends the same request as its curl and client examples', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`)
    const create = operationIn(page, 'createTodo')
    await create.section.waitFor()
    const { paths } = (await api('GET /openapi.json')).body as {
      readonly paths: Readonly<Record<string, object>>
    }
    const methods = Object.values(paths).flatMap((path) =>
      Object.keys(path).filter((key) => isMethod.test(key)),
    )
    assert.equal(await page.locator('.operation').count(), methods.length)
    const uncolored = page
      .locator('.method')
      .evaluateAll((methods) =>
        methods
          .filter((one) => getComputedStyle(one).color === getComputedStyle(document.body).color)
          .map(({ textContent }) => textContent),
      )
    assert.deepEqual(await uncolored, [])
    assert.match(
      (await create.section.getByLabel('curl: Create a todo').textContent()) ?? '',
      /-H 'Content-Type: application\/json' \\\n {2}-d '\{\n {2}"todoTitle": "Buy milk"\n\}'$/,
    )
    await create.open()
    assert.match(await create.section.getByLabel('Request').inputValue(), /^POST \/api\/v1\/todos\n/)
    const xml = '<todo><todoTitle>Buy milk</todoTitle></todo>'
    await create.write(`POST /api/v1/todos\nContent-Type: application/xml\n\n${xml}`)
    await create.send()
    assert.equal(await create.line(), '201 Created')
    const read = operationIn(page, 'getTodo')
    const { todoId } = ((await api('GET /todos')).body as { todoId: string }[])[0] ?? { todoId: '' }
    await read.open()
    await read.write(`GET /api/v1/todos/${todoId}`)
    await read.send()
    assert.match(await read.shown(), /"todoTitle": "Buy milk"/)

    const list = operationIn(page, 'listTodos')
    await list.open()
    await list.write('get /api/v1/todos?finished=true&size=5')
    const code = (name: string) => list.section.getByLabel(`${name}: List todos`).textContent()
    assert.match((await code('curl')) ?? '', /^curl 'http:\S+\/api\/v1\/todos\?finished=true&size=5'$/)
    assert.match((await code('TypeScript')) ?? '', /todos\.page\(\{\n {2}finished: true,\n {2}size: 5\n\}\)$/)

    const search = page.getByRole('searchbox')
    const found = () => page.locator('section[id]').evaluateAll((all) => all.map(({ id }) => id))
    for (const [text, expected] of [
      ['finish a todo', ['finishTodo']],
      [
        'currentPassword',
        [
          'changeMemberCredential',
          'patchMemberCredential',
          'CredentialUpdate',
          'CredentialPatch',
          'Constraint',
        ],
      ],
      [
        'e.xx.yy.8001',
        ['createMember', 'restoreMember', 'changeMemberCredential', 'patchMemberCredential', 'ErrorCode'],
      ],
    ] as const) {
      await search.fill(text)
      await page.locator(`#${expected[0]}`).waitFor()
      await page.locator('section[id]').nth(expected.length).waitFor({ state: 'detached' })
      assert.deepEqual(await found(), expected)
    }
    await search.fill('zzz')
    await page.getByText('Nothing here contains “zzz”.').waitFor()
  })

  test('a long answer is cut, and the page says how many characters are not shown', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    await page.route('**/api/v1/todos', (route) =>
      route.fulfill({ json: 'x'.repeat(125_005), headers: { 'X-Track': 'long' } }),
    )
    await page.goto(`${api.management}/docs`)
    const list = operationIn(page, 'listTodos')
    await list.open()
    await list.send()
    await list.section.getByText('… 25,007 more characters are not shown.').waitFor()
    const shown = await list.shown()
    assert.equal(shown.slice(shown.indexOf('"x')).length, 100_000)
  })

  test('axe finds nothing on the documentation, in light or dark, and on a narrow phone nothing is wider than the page', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`)
    // One operation stands for all, which are drawn alike: axe needs ten seconds for them.
    await page.getByRole('searchbox').fill('createTodo')
    await page.waitForFunction(() => document.querySelectorAll('.operation').length === 1)
    const create = operationIn(page, 'createTodo')
    await create.open()
    await create.send()
    assert.deepEqual(await violationsInBothLights(page), [])
    for (const [path, ready] of [
      ['/docs/errors', 'e.xx.fw.8003'],
      ['/docs/errors/e.xx.fw.8003?lang=ja', '対処'],
    ] as const) {
      await page.goto(api.management + path)
      await page.getByText(ready).first().waitFor()
      assert.deepEqual(await violationsInBothLights(page), [], path)
    }
    await page.setViewportSize({ width: 320, height: 640 })
    for (const [path, ready] of [
      ['/docs?lang=en', 'Create a todo'],
      ['/docs/errors', 'e.xx.fw.8003'],
      ['/docs/errors/e.xx.fw.8003?lang=en', 'What to do'],
    ] as const) {
      await page.goto(api.management + path)
      await page.getByText(ready).first().waitFor()
      assert.equal(await widthOf(page), 320, path)
    }
  })

  test('In Japanese the titles are Japanese too, and the descriptions are marked as English.', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/docs`, { locale: 'ja-JP' })
    const create = operationIn(page, 'createTodo')
    await create.open()
    await create.send()
    assert.equal(await create.line(), '201 Created')
    const title = create.section.locator('h3')
    assert.deepEqual([await title.innerText(), await title.getAttribute('lang')], ['やることを登録', null])
    const text = create.section.locator('.operation-text p[lang=en]')
    assert.ok((await text.count()) > 0)
    const operations = page.getByRole('navigation', { name: '操作' }).getByRole('link')
    const english = operations.and(page.locator('[lang=en]'))
    assert.deepEqual(await english.allInnerTexts(), [], 'src/console/app/documents/titles.ts has every title')
    await create.section.getByRole('link', { name: /^e\./ }).first().click()
    await page.getByRole('heading', { name: '対処' }).waitFor()
    await page.getByRole('radio', { name: 'English' }).check()
    await page.getByRole('heading', { name: 'What to do' }).waitFor()
  })

  test('a request that needs a sign-in asks for it, and then succeeds', async (t) => {
    const api = await startApp(t, basic)
    const page = await openPage(t, `${api.management}/docs`)
    const list = operationIn(page, 'listTodos')
    await list.open()
    await list.section.getByRole('button', { name: 'Send' }).press('Enter')
    await signIn(page, 'admin', 'admin-password')
    await list.section.getByText('200 OK').waitFor()
  })
})
