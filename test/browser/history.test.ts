import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { csv, importsOf } from '#test/import/imports.ts'
import { john, people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { mergePatch, widthOf } from './console.ts'
import { create, withSignId } from './members.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

suite('history and activity in the console', { skip }, () => {
  test('the history of a record', async (t) => {
    const api = await startApp(t)
    const { memberId } = await create(api)
    await api(`PATCH /members/${memberId}`, { telephoneNumber: '111' }, mergePatch)
    const page = await openPage(t, `${api.management}/#/members/${memberId}`)
    const lines = page.locator('main ol > li')
    const line = (text: string) => lines.filter({ hasText: text })
    const dialog = page.getByRole('dialog')
    const found: string[] = []
    const look = async () => found.push(...(await violationsInBothLights(page)))

    await t.test('shows each version, newest first, and grows as the record changes', async () => {
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByRole('heading', { name: 'History of John Smith' }).waitFor()
      assert.deepEqual(await lines.locator('strong').allTextContents(), ['Member changed', 'Member added'])
      const changed = (await lines.first().innerText()).replaceAll(/\s+/g, ' ')
      assert.match(changed, /^Member changed Present version Telephone number was: 09012345678 → now: 111 /)
      assert.match(changed, /by somebody without a sign-in Details$/)
      await api(`PATCH /members/${memberId}`, { lastName: 'Smythe', address: null }, mergePatch)
      await page.getByRole('heading', { name: 'History of John Smythe' }).waitFor()
      await look()
    })

    await t.test('puts an old version back, unless the record has changed meanwhile', async () => {
      await line('Member added').getByRole('button', { name: 'Put this version back' }).click()
      await dialog.getByText('Last name: Smythe → Smith').waitFor()
      await look()
      await api(`PATCH /members/${memberId}`, { zipCode: '7' }, mergePatch)
      await dialog.getByRole('button', { name: 'Put this version back' }).click()
      await page.getByText('Somebody has changed the record meanwhile.').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await line('Member added').getByRole('button', { name: 'Put this version back' }).click()
      await dialog.getByText('Zip code: 7 → 1234567').waitFor()
      await dialog.getByRole('button', { name: 'Put this version back' }).click()
      await page.getByText('The old version is put back').waitFor()
      const { body } = await api(`GET /members/${memberId}`)
      const { credential: _, ...profile } = john
      assert.partialDeepStrictEqual(body, profile)
    })

    await t.test('finds a deleted member in the activity, and restores it', async () => {
      await api(`DELETE /members/${memberId}`)
      await line('Member deleted').waitFor()
      const missing: string[] = []
      page.on('response', (answer) => void (answer.status() === 404 && missing.push(answer.url())))
      await page.getByRole('link', { name: 'Activity' }).first().click()
      await line('Member deleted').getByRole('link', { name: 'John Smith' }).first().click()
      assert.deepEqual(missing, [], 'what is known to be deleted is not asked for')
      await line('Member deleted').getByRole('button', { name: 'Restore' }).click()
      await page.getByText('1 restored A restored member has no password and no role.').waitFor()
      await page.getByText('Present version').waitFor()
      const { body } = await api('GET /members')
      assert.partialDeepStrictEqual(body, [{ firstName: 'John', address: 'Tokyo', zipCode: '1234567' }])
    })

    await t.test('erases a member and its history after a confirmation', async () => {
      await page.goto(`${api.management}/#/members/${memberId}/history`)
      await page.getByRole('button', { name: 'Erase' }).click()
      await dialog.getByText('This cannot be undone.').waitFor()
      await look()
      await dialog.getByRole('button', { name: 'Erase' }).click()
      await page.getByRole('heading', { name: /^History of record …/ }).waitFor()
      assert.equal(await line('The old value is no longer kept.').count(), 6)
      assert.doesNotMatch(await page.locator('main').innerText(), /John|Smith|111/)
    })

    await t.test('puts an old version of a todo back, and restores the todo after its deletion', async () => {
      const { body } = await api('POST /todos', { todoTitle: 'before' })
      const { todoId } = body as { todoId: string }
      await api(`PATCH /todos/${todoId}`, { todoTitle: 'now', finished: true }, mergePatch)
      await page.goto(`${api.management}/#/todos/${todoId}/history`)
      await line('Todo added').getByRole('button', { name: 'Put this version back' }).click()
      await dialog.getByText('State: Finished → Open').waitFor()
      await dialog.getByRole('button', { name: 'Put this version back' }).click()
      await page.getByRole('heading', { name: 'History of before' }).waitFor()
      await api(`DELETE /todos/${todoId}`)
      await line('Todo deleted').getByRole('button', { name: 'Restore' }).click()
      await page.getByText('Present version').waitFor()
      assert.partialDeepStrictEqual((await api('GET /todos')).body, [
        { todoTitle: 'before', finished: false },
      ])
    })

    assert.deepEqual(found, [])
  })

  test('the activity shows who changed which record, newest first', async (t) => {
    const api = await startApp(t)
    for (let at = 1; at <= 30; at++) await api('POST /todos', { todoTitle: `todo ${at}` })
    const { memberId } = await create(api, people[0])
    await api(
      `PATCH /members/${memberId}`,
      { zipCode: '1', address: null },
      { ...mergePatch, 'X-Track': 'desk-7' },
    )
    const page = await openPage(t, `${api.management}/#/activity`)
    const list = page.getByRole('list', { name: 'Activity' })
    const lines = list.getByRole('listitem')
    await lines.first().getByText('Zip code').waitFor()
    const [altered] = await lines.first().locator('dl').allInnerTexts()
    assert.match(
      altered?.replaceAll(/\s+/g, ' ') ?? '',
      /^Zip code was: 100-0000 → now: 1 Address was: 田中町 1-2-3 → now: –$/,
    )
    assert.equal(await lines.count(), 25)
    await lines.first().getByRole('button', { name: 'Details' }).click()
    await lines.first().getByText('desk-7').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])

    await api('POST /todos', { todoTitle: 'just now' })
    await lines.first().getByRole('link', { name: 'just now' }).first().waitFor()
    await page.getByRole('button', { name: 'Show older changes' }).click()
    await list.getByRole('link', { name: 'todo 1', exact: true }).waitFor()
    assert.equal(await lines.count(), 33)

    await page.getByLabel('Show', { exact: true }).selectOption('Members')
    await list.getByText('todo').first().waitFor({ state: 'detached' })
    assert.deepEqual(await lines.locator('strong').allTextContents(), ['Member changed', 'Member added'])
    await page.getByLabel('Show', { exact: true }).selectOption('Todo added')
    await list.getByText('Member').first().waitFor({ state: 'detached' })
    await lines.filter({ hasText: 'just now' }).getByRole('button', { name: 'Details' }).click()
    await lines.getByRole('link', { name: 'Only this record just now' }).click()
    await page.getByRole('button', { name: 'Only just now' }).waitFor()
    await list.getByText('todo 30').first().waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 320, height: 740 })
    assert.equal(await widthOf(page), 320)
    await page.getByRole('button', { name: 'Only just now' }).click()
    await list.getByText('todo 30').first().waitFor()
  })

  test('Deleted records are listed, and restored from the list.', async (t) => {
    const api = await startApp(t)
    const { memberId } = await create(api)
    await create(api, people[0])
    await api(`DELETE /members/${memberId}`)
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText('View', { exact: true }).click()
    await page.getByRole('link', { name: 'Deleted records' }).click()
    const lines = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
    await lines.filter({ hasText: 'John Smith' }).getByRole('button', { name: 'Restore' }).click()
    await page.getByText('1 restored').waitFor()
    await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' })
    assert.equal((await api(`GET /members/${memberId}`)).status, 200)
    await page.getByLabel('Show', { exact: true }).selectOption('Deleted records')
    await page.waitForURL('**/#/activity?type=deleted')
    await lines.filter({ hasText: 'Member deleted' }).waitFor()
    assert.equal(await lines.count(), 1)

    const { body } = await api('POST /todos', { todoTitle: 'milk' })
    const { todoId } = body as { todoId: string }
    await api(`DELETE /todos/${todoId}`)
    await api(`DELETE /members/${memberId}`)
    await lines.nth(2).waitFor()
    assert.equal(await lines.getByRole('button', { name: 'Restore' }).count(), 2)
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByRole('button', { name: 'Restore all 2 shown' }).click()
    await page.getByText('2 restored').waitFor()
    for (const path of [`members/${memberId}`, `todos/${todoId}`])
      assert.equal((await api(`GET /${path}`)).status, 200)
  })

  test('The activity can be limited to one person or one day, and shows the old and the new role.', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = await create(api, withSignId('mary', people[1]), asAdmin)
    await api(`PUT /members/${memberId}/role`, { role: 'administrator' }, asAdmin)
    const asMary = { Authorization: `Basic ${btoa('mary:demodemo')}` }
    const { body } = await api('POST /todos', { todoTitle: 'before' }, asMary)
    const { todoId } = body as { todoId: string }
    await api(`PATCH /todos/${todoId}`, { todoTitle: 'after' }, { ...mergePatch, ...asMary })
    const page = await openPage(t, `${api.management}/#/activity`)
    await signIn(page, 'admin', 'admin-password')
    const lines = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
    await lines.filter({ hasText: 'Role changed' }).locator('dd').getByText('Administrator').waitFor()
    const text = async (type: string) =>
      (await lines.filter({ hasText: type }).locator('dl').innerText()).replaceAll(/\s+/g, ' ')
    assert.match(await text('Role changed'), /Role was: Member → now: Administrator/)
    assert.match(await text('Todo changed'), /Title was: before → now: after/)

    await page.getByLabel('Changed by').fill('Bram')
    await page.getByRole('option', { name: /Bram de Vries/ }).click()
    await lines.filter({ hasText: 'Role changed' }).waitFor({ state: 'detached' })
    assert.equal(await lines.count(), 2)
    await page.getByLabel('Day').fill('2026-01-01')
    await page.getByText('No changes found').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByLabel('Day').fill('')
    await lines.nth(1).waitFor()
    await page.goto(`${api.management}/#/activity?by=administrator`)
    await page.getByRole('button', { name: 'Only the administrator' }).click()
    await lines.nth(3).waitFor()
  })

  test('the changes of an import are one line, which leads to its records', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'before' })
    const imports = importsOf(api)
    const titles = Array.from({ length: 60 }, (_, at) => [`todo ${at}`])
    const importId = await imports.upload('todos', csv(['todoTitle'], titles))
    await imports.in(importId, 'ready')
    await imports.act(importId, 'apply')
    await imports.in(importId, 'done')
    await api('POST /todos', { todoTitle: 'after' })
    const page = await openPage(t, `${api.management}/#/activity`)
    const lines = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
    await lines.getByText('Todos: 60 imported from').waitFor()
    assert.deepEqual(
      (await lines.locator('p:first-child').allTextContents()).map((text) =>
        text.replace(/[\u2068\u2069]/g, ''),
      ),
      ['Todo added after', 'Todos: 60 imported from file.csv', 'Todo added before'],
    )
    assert.deepEqual(await violationsInBothLights(page), [])
    await lines.getByRole('link', { name: 'file.csv' }).click()
    await page.getByRole('link', { name: 'todo 7', exact: true }).click()
    await page.getByRole('heading', { name: 'History of todo 7' }).waitFor()
  })
})
