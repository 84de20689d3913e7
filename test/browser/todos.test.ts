import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { closeNote, holdRequests, openConsole, titles, untilPainted, waitForAnswer } from './console.ts'

after(closeBrowser)

suite('todos in the console', { skip }, () => {
  test('the age of a todo is updated while nothing else changes', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'a' })
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    const { createdAt } = ((await api('GET /todos')).body as { createdAt: string }[])[0] ?? { createdAt: '' }
    const ago = page.locator('.todo-time')
    await ago.waitFor()
    for (const [seconds, says] of [
      [160, '3 minutes ago'],
      [3572, '1 hour ago'],
    ] as const) {
      await page.clock.setSystemTime(Date.parse(createdAt) + seconds * 1000)
      await page.clock.runFor(30_000)
      assert.equal(await ago.textContent(), says)
    }
  })

  test('a todo is added, finished, reopened by Undo, renamed and deleted', async (t) => {
    const { api, page } = await openConsole(t, 'todos', { reducedMotion: 'no-preference' })
    await page.getByText('Nothing to do').waitFor()

    await page.getByLabel('What needs to be done?').fill('Water the ferns')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “Water the ferns”' }).click()
    await page.getByText('Finished “Water the ferns”').waitFor()
    assert.deepEqual(await titles(api), ['✓ Water the ferns'])

    const opened = waitForAnswer(page, 'PATCH')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Finish “Water the ferns”' }).waitFor()
    await opened
    await page.getByRole('log').getByText('Reopened “Water the ferns”').waitFor()

    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('New title').fill('Water all ferns')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “Water all ferns”' }).waitFor()
    assert.deepEqual(await titles(api), ['○ Water all ferns'])

    await page.getByRole('button', { name: 'Delete “Water all ferns”' }).click()
    await page.getByText('Deleted “Water all ferns”').waitFor()
    await page.getByText('Nothing to do').waitFor()
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('button', { name: '元に戻す' }).last().click()
    await page.getByRole('log').getByText('「Water all ferns」の削除を取り消しました').waitFor()
    await page.getByRole('radio', { name: 'English' }).check()
    await page.getByRole('button', { name: 'Delete “Water all ferns”' }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.deepEqual(await titles(api), ['○ Water all ferns'])
    const deleted = waitForAnswer(page, 'DELETE')
    await closeNote(page)
    await deleted
    assert.deepEqual(await titles(api), [])
  })

  test('keys finish and rename the focused todo; after a rename or deletion, the focus moves to a neighbouring todo', async (t) => {
    const { api, page } = await openConsole(t, 'todos', { todos: ['first', 'second'] })
    const focused = (name: string, role: 'button' | 'heading' = 'button') =>
      page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor()

    await page.getByText('first').waitFor()
    for (const key of ['j', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('Finished “first”').waitFor()
    await page.keyboard.press('e')
    await page.getByLabel('New title').fill('1st')
    await page.keyboard.press('Enter')
    await focused('Rename “1st”')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await focused('Rename “1st”')
    await page.getByRole('button', { name: 'Delete “second”' }).press('Enter')
    await page.locator('.todo-title:focus').filter({ hasText: '1st' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete “1st”' }).press('Enter')
    await focused('Todos', 'heading')
    await page.getByText('Nothing to do').waitFor()
    await page.keyboard.press('u')
    await page.getByRole('button', { name: 'Delete “1st”' }).waitFor()
    assert.ok((await titles(api)).includes('✓ 1st'))
  })

  test('The undo key undoes the latest change first, and says so if the latest change cannot be undone.', async (t) => {
    const { api, page } = await openConsole(t, 'todos', { todos: ['first', 'second'] })
    await page.getByRole('button', { name: 'Finish “first”' }).click()
    await page.getByText('Finished “first”').waitFor()
    await page.getByText('second', { exact: true }).dblclick()
    await page.getByLabel('New title').fill('2nd')
    await page.keyboard.press('Enter')
    await page.getByText('Renamed “second” to “2nd”').waitFor()
    await page.keyboard.press('u')
    await page.getByText('Renamed “2nd” to “second”').waitFor()
    assert.deepEqual(await titles(api), ['✓ first', '○ second'])
    await page.keyboard.press('u')
    await page.getByText('Reopened “first”').waitFor()
    assert.deepEqual(await titles(api), ['○ first', '○ second'])

    await page.getByRole('button', { name: 'Finish “second”' }).click()
    await page.getByText('Finished “second”').waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('third')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “third”', disabled: false }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('u')
    await page.getByText('The last change cannot be undone here.').waitFor()
    assert.deepEqual(await titles(api), ['○ first', '✓ second', '○ third'])
  })

  test('a double click deletes only one todo, a reload carries out a pending deletion, and deleting an already deleted todo reports no failure', async (t) => {
    const { api, page } = await openConsole(t, 'todos', { todos: ['first', 'second', 'third'] })
    await page.getByText('first').hover()
    await page.getByRole('button', { name: 'Delete “third”' }).dblclick()
    await page.getByText('Deleted “third”').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 2)
    assert.equal((await titles(api)).length, 3)
    await page.reload()
    await page.getByText('first').waitFor()
    while ((await titles(api)).length === 3) await untilPainted(page)
    assert.deepEqual(await titles(api), ['○ first', '○ second'])

    const [{ todoId } = { todoId: '' }] = (await api('GET /todos')).body as { todoId: string }[]
    await page.getByRole('button', { name: 'Delete “first”' }).click()
    await api(`DELETE /todos/${todoId}`)
    const refused = waitForAnswer(page, 'DELETE')
    await closeNote(page)
    assert.equal((await refused).status(), 404)
    await untilPainted(page)
    assert.equal(await page.getByText('“first” was not deleted.').count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 1)
  })

  test('a title is trimmed; a missing or overlong title is not sent, and stays in the field with the reason', async (t) => {
    const { page } = await openConsole(t, 'todos')
    await page.getByText('Nothing to do').waitFor()
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.postDataJSON())
    })
    const alert = page.getByRole('alert')
    const missing = alert.getByText('This is required.')
    const field = page.getByLabel('What needs to be done?')
    for (const empty of ['', '   ', '\u3000']) {
      await field.fill(empty)
      await page.keyboard.press('Enter')
      await missing.waitFor()
    }
    await field.fill('x'.repeat(31))
    await page.getByText('1 character too many').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('1 to 30 characters.').waitFor()
    assert.equal(await field.inputValue(), 'x'.repeat(31))
    await field.fill('  ferns ')
    await alert.waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “ferns”' }).click()
    const renamed = page.getByLabel('New title')
    await renamed.fill('  ')
    await page.keyboard.press('Enter')
    await missing.waitFor()
    await renamed.fill('y'.repeat(31))
    await page.keyboard.press('Enter')
    await page.getByText('1 to 30 characters.').waitFor()
    await renamed.fill(' all ferns ')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “all ferns”' }).waitFor()
    assert.deepEqual(sent, [{ todoTitle: 'ferns' }, { todoTitle: 'all ferns' }])
  })

  test('a failed change is rolled back and shown with the reason and the track id; a lost connection is shown until it is back', async (t) => {
    const { page } = await openConsole(t, 'todos', { todos: ['stubborn'] })
    await page.route('**/api/v1/todos/*', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'X-Track': 'track-of-the-500' },
        json: { code: 'e.xx.fw.9003', message: 'System error occurred.' },
      }),
    )
    await page.getByRole('button', { name: 'Finish “stubborn”' }).click()
    await page.getByText('“stubborn” was not finished.').waitFor()
    await page.getByRole('button', { name: 'Finish “stubborn”' }).waitFor()
    await page.getByRole('log').getByText('track-of-the-500').waitFor()
    await page.getByRole('status').getByText('The service is failing (500)').waitFor()
    await page.unroute('**/api/v1/todos/*')

    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Delete “stubborn”' }).click()
    await closeNote(page)
    await page.getByRole('status').getByText('No connection to the service.').waitFor()
    await page.getByText('“stubborn” was not deleted.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Finish “stubborn”' }).click()
    await page.getByText('Finished “stubborn”').waitFor()
    assert.equal(await page.getByText('No connection to the service.').count(), 0)
  })

  test('a todo added while an older list is still loading is shown', async (t) => {
    const { page } = await openConsole(t, 'members')
    const read = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/todos\?/, async (route) => {
      const response = await route.fetch()
      read.resolve()
      await released
      await route.fulfill({ response })
    })
    await page.getByRole('link', { name: 'Todos' }).click()
    await read.promise
    await page.getByLabel('What needs to be done?').fill('Water the ferns')
    const created = page.waitForResponse((response) => response.status() === 201)
    await page.keyboard.press('Enter')
    await created
    release()
    await page.getByRole('button', { name: 'Finish “Water the ferns”', disabled: false }).waitFor()
    // The page asks again by itself, also while the service ends.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('changes by others appear soon, and disturb neither what is typed nor a change in progress', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'mine' })
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('mine').waitFor()
    let reads = 0
    page.on('request', (request) => {
      reads += Number(request.url().includes('/todos?'))
    })
    const assertUndisturbed = async () => {
      reads = 0
      await page.clock.runFor(30_000)
      assert.equal(reads, 0)
    }
    const field = page.getByLabel('What needs to be done?')
    await field.fill('half')
    await api('POST /todos', { todoTitle: 'theirs' })
    await page.getByText('theirs').waitFor()
    assert.equal(await field.inputValue(), 'half')
    await field.and(page.locator(':focus')).waitFor()

    await page.getByRole('button', { name: 'Rename “mine”' }).click()
    await page.getByLabel('New title').fill('mi')
    await api('POST /todos', { todoTitle: 'later' })
    await assertUndisturbed()
    assert.equal(await page.getByLabel('New title').inputValue(), 'mi')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await field.focus()
    await page.getByText('later').waitFor()

    const release = await holdRequests(page, '**/api/v1/todos/*')
    const reopen = page.getByRole('button', { name: 'Reopen “mine”' })
    await page.getByRole('button', { name: 'Finish “mine”' }).click()
    await reopen.waitFor()
    await api('POST /todos', { todoTitle: 'at last' })
    await assertUndisturbed()
    assert.equal(await reopen.count(), 1)
    release()
    await page.getByText('Finished “mine”').waitFor()
    await page.getByText('at last', { exact: true }).waitFor()
    assert.equal(await reopen.count(), 1)
  })
})
