import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { hold, painted, titles } from './todos.ts'

after(closeBrowser)

/** Closes the latest notification, so that the action waiting for it is carried out. */
const dismissNote = (page: Page) =>
  page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()

const responseTo = (page: Page, method: string) =>
  page.waitForResponse((response) => response.request().method() === method)

suite('todos in the console', { skip }, () => {
  test('how long ago a todo was added stays true while nothing changes', async (t) => {
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
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('Nothing to do').waitFor()

    await page.getByLabel('What needs to be done?').fill('Water the ferns')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “Water the ferns”' }).click()
    await page.getByText('Finished “Water the ferns”').waitFor()
    assert.deepEqual(await titles(api), ['✓ Water the ferns'])

    const opened = responseTo(page, 'PATCH')
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
    await page.getByRole('button', { name: '元に戻す' }).click()
    await page.getByRole('log').getByText('「Water all ferns」の削除を取り消しました').waitFor()
    await page.getByRole('radio', { name: 'English' }).check()
    await page.getByRole('button', { name: 'Delete “Water all ferns”' }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.deepEqual(await titles(api), ['○ Water all ferns'])
    const deleted = responseTo(page, 'DELETE')
    await dismissNote(page)
    await deleted
    assert.deepEqual(await titles(api), [])
  })

  test('after a rename or deletion by keyboard the focus is where the work continues', async (t) => {
    const api = await startApp(t)
    for (const todoTitle of ['first', 'second']) await api('POST /todos', { todoTitle })
    const page = await openPage(t, `${api.management}/#/todos`)
    const focused = (name: string, role: 'button' | 'heading' = 'button') =>
      page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor()

    await page.getByRole('button', { name: 'Rename “first”' }).press('Enter')
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
  })

  test('a double click deletes only one todo, and a reload carries out a pending deletion', async (t) => {
    const api = await startApp(t)
    for (const todoTitle of ['first', 'second', 'third']) await api('POST /todos', { todoTitle })
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('first').hover()
    await page.getByRole('button', { name: 'Delete “third”' }).dblclick()
    await page.getByText('Deleted “third”').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 2)
    assert.equal((await titles(api)).length, 3)
    await page.reload()
    await page.getByText('first').waitFor()
    while ((await titles(api)).length === 3) await painted(page)
    assert.deepEqual(await titles(api), ['○ first', '○ second'])
  })

  test('the filter shows open or finished todos, and is part of the address', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'open one' })
    const done = await api('POST /todos', { todoTitle: 'finished one' })
    await api(`PUT /todos/${(done.body as { todoId: string }).todoId}`)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('open one').waitFor()
    await page.getByRole('radio', { name: 'Finished' }).check()
    await page.getByText('open one').waitFor({ state: 'detached' })
    assert.equal(await page.getByText('finished one').count(), 1)
    assert.match(page.url(), /show=finished/)
    await page.reload()
    await page.getByText('finished one').waitFor()
    assert.equal(await page.getByText('open one').count(), 0)
  })

  test('a title that is too long is not sent, and stays in the field with the reason', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.method())
    })
    const field = page.getByLabel('What needs to be done?')
    await field.fill('x'.repeat(31))
    await page.getByText('1 character too many').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('1 to 30 characters.').waitFor()
    assert.equal(await field.inputValue(), 'x'.repeat(31))
    await field.press('Backspace')
    await page.getByText('1 to 30 characters.').waitFor({ state: 'hidden' })
    assert.equal(await page.getByRole('listitem').filter({ hasText: 'xxx' }).count(), 0)
    assert.deepEqual(sent, [])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('New title').fill('y'.repeat(31))
    await page.keyboard.press('Enter')
    await page.getByText('1 to 30 characters.').waitFor()
    assert.deepEqual(sent, ['POST'])
  })

  test('a title is trimmed; one of white space only is missing, and not sent', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('Nothing to do').waitFor()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.postData() ?? '')
    })
    const field = page.getByLabel('What needs to be done?')
    for (const empty of ['', '   ', '\u3000']) {
      await field.fill(empty)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('This is required.').waitFor()
    }
    await field.fill('  ferns ')
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “ferns”' }).click()
    await page.getByLabel('New title').fill('  ')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This is required.').waitFor()
    await page.getByLabel('New title').fill(' all ferns ')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “all ferns”' }).waitFor()
    assert.deepEqual(
      sent.map((body) => JSON.parse(body)),
      [{ todoTitle: 'ferns' }, { todoTitle: 'all ferns' }],
    )
  })

  test('a failed change is taken back, and shown with the reason and the track id', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'stubborn' })
    const page = await openPage(t, `${api.management}/#/todos`)
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
  })

  test('a todo added while an older list is still loading is shown', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/members`)
    const read = hold()
    const { released, release } = hold()
    await page.route(/todos\?/, async (route) => {
      const response = await route.fetch()
      read.release()
      await released
      await route.fulfill({ response })
    })
    await page.getByRole('link', { name: 'Todos' }).click()
    await read.released
    await page.getByLabel('What needs to be done?').fill('Water the ferns')
    const created = page.waitForResponse((response) => response.status() === 201)
    await page.keyboard.press('Enter')
    await created
    release()
    await page.getByRole('button', { name: 'Finish “Water the ferns”', disabled: false }).waitFor()
    // The page asks again by itself, also while the service ends.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a todo that somebody else deleted first disappears without an error', async (t) => {
    const api = await startApp(t)
    const { todoId } = (await api('POST /todos', { todoTitle: 'shared' })).body as { todoId: string }
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByRole('button', { name: 'Delete “shared”' }).click()
    await api(`DELETE /todos/${todoId}`)
    const refused = responseTo(page, 'DELETE')
    await dismissNote(page)
    assert.equal((await refused).status(), 404)
    await painted(page)
    assert.equal(await page.getByText('“shared” was not deleted.').count(), 0)
    await page.getByText('Nothing to do').waitFor()
  })

  test('changes by others appear soon, and disturb neither input nor focus', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'mine' })
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('mine').waitFor()
    await page.getByLabel('What needs to be done?').fill('half')
    await api('POST /todos', { todoTitle: 'theirs' })
    await page.getByText('theirs').waitFor()
    assert.equal(await page.getByLabel('What needs to be done?').inputValue(), 'half')
    await page.getByLabel('What needs to be done?').and(page.locator(':focus')).waitFor()

    await page.getByRole('button', { name: 'Rename “mine”' }).click()
    await page.getByLabel('New title').fill('mi')
    await api('POST /todos', { todoTitle: 'later' })
    let reads = 0
    page.on('request', (request) => {
      reads += Number(request.url().includes('/todos?'))
    })
    await page.clock.runFor(30_000)
    assert.equal(reads, 0)
    assert.equal(await page.getByLabel('New title').inputValue(), 'mi')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('What needs to be done?').focus()
    await page.getByText('later').waitFor()
  })

  test('what others changed does not undo a change in progress', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'mine' })
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    const { released, release } = hold()
    await page.route('**/api/v1/todos/*', async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Finish “mine”' }).click()
    await page.getByRole('button', { name: 'Reopen “mine”' }).waitFor()
    await api('POST /todos', { todoTitle: 'theirs' })
    let reads = 0
    page.on('request', (request) => {
      reads += Number(request.url().includes('/todos?'))
    })
    await page.clock.runFor(30_000)
    assert.equal(reads, 0)
    assert.equal(await page.getByRole('button', { name: 'Reopen “mine”' }).count(), 1)
    release()
    await page.getByText('Finished “mine”').waitFor()
    await page.getByText('theirs', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Reopen “mine”' }).count(), 1)
  })

  test('the filtered todos are downloaded as CSV in which formulas are inert', async (t) => {
    const api = await startApp(t)
    for (const todoTitle of ['=1+1', 'two, three']) await api('POST /todos', { todoTitle })
    const { todoId } = (await api('POST /todos', { todoTitle: 'done' })).body as { todoId: string }
    await api(`PUT /todos/${todoId}`)
    const page = await openPage(t, `${api.management}/#/todos?show=open`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^rollcall-todos-\d{4}-\d\d-\d\d\.csv$/)
    const lines = (await textOf(download)).split('\r\n')
    assert.deepEqual(
      lines.map((line) => line.replace(/^[^,]+,|,[^,]+$/g, '')),
      ['todoTitle,finished', '"two, three",false', "'=1+1,false", ''],
    )
    await page.getByText('2 rows saved as CSV').waitFor()
  })

  test('without a connection the page says so, keeps what it shows, and recovers', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'still here' })
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('still here').waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Delete “still here”' }).click()
    await dismissNote(page)
    await page.getByRole('status').getByText('No connection to the service.').waitFor()
    await page.getByText('“still here” was not deleted.').waitFor()
    await page.getByRole('button', { name: 'Delete “still here”' }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Finish “still here”' }).click()
    await page.getByText('Finished “still here”').waitFor()
    assert.equal(await page.getByText('No connection to the service.').count(), 0)
  })
})
