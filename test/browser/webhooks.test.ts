import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { isSigned, startReceiver, withStatus } from '#test/receiver.ts'
import { addTodos, contentOf, createWebhook, startWithWebhooks, stateOf } from '#test/webhooks.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'

after(closeBrowser)

suite('webhooks in the console', { skip }, () => {
  test('a webhook, from its creation to its deletion', async (t) => {
    const api = await startWithWebhooks(t)
    const receiver = await startReceiver(t)
    const page = await openPage(t, `${api.management}/#/webhooks`)
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    const found: string[] = []
    const look = async () => found.push(...(await violationsInBothLights(page)))
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const tested = (text: RegExp) => deliveries.filter({ hasText: 'Test' }).getByText(text)
    let secret = ''

    await t.test('shows refusals at their fields', async () => {
      await page.getByText('No webhooks yet').waitFor()
      await page.getByRole('link', { name: 'New webhook' }).first().click()
      await page.getByLabel('Address').fill('http://10.0.0.1/')
      await press('Add webhook')
      await page.getByText('Only public https addresses can be called.').waitFor()
      await page.getByRole('checkbox', { name: 'All changes' }).uncheck()
      await press('Add webhook')
      await page.getByText('Choose at least one.').waitFor()
      await look()
    })

    await t.test('shows its secret once, and receives the chosen changes', async () => {
      await page.getByLabel('Address').fill(receiver.url)
      await page.getByLabel('Purpose').fill('Search index')
      await page.getByRole('checkbox', { name: 'Todo added' }).check()
      await press('Add webhook')
      secret = (await dialog.getByText(/^whsec_/).textContent()) ?? ''
      await look()
      await confirm('I have copied it')
      assert.equal(await page.getByText(secret).count(), 0)
      await page.getByRole('heading', { name: 'Search index' }).waitFor()
      await page.getByRole('link', { name: 'Webhooks' }).last().click()
      const row = page.getByRole('row').filter({ hasText: 'Search index' })
      await row.getByText('Todo added').waitFor()
      await addTodos(api, 'one')
      await row.getByText('it answered 204').waitFor()
      const [first] = receiver.received
      assert.equal(first?.type, 'todo.created')
      assert.ok(first && isSigned(first, secret))
      await look()
      await row.getByRole('link', { name: 'Search index' }).click()
      await deliveries.filter({ hasText: 'Todo added' }).getByText('it answered 204').waitFor()
    })

    await t.test('shows the result of a test', async () => {
      await press('Test')
      await tested(/^it answered 204, after \d+ ms$/).waitFor()
      receiver.answering = withStatus(500)
      await press('Test')
      await page
        .getByRole('log')
        .getByText(/^Test: it answered 500, after \d+ ms$/)
        .waitFor()
      await tested(/^it answered 500, after \d+ ms$/).waitFor()
      await look()
    })

    await t.test('shows the body that was sent, and sends it again', async () => {
      const sent = receiver.received.find(({ type }) => type === 'todo.created')
      receiver.answering = withStatus(204)
      const delivery = deliveries.filter({ hasText: 'Todo added' }).last()
      await delivery.getByText('What was sent').click()
      const body = await delivery.getByLabel('What was sent', { exact: true }).textContent()
      assert.deepEqual(JSON.parse(body ?? ''), JSON.parse(sent?.body ?? ''))
      await look()
      await delivery.getByRole('button', { name: 'Send again' }).click()
      await deliveries.getByText('attempt 2').waitFor()
      assert.equal(receiver.received.at(-1)?.headers['webhook-id'], sent?.id)
      await deliveries.filter({ hasText: 'Test' }).first().getByText('What was sent').click()
      await page.getByText('Test events are never in the log.').waitFor()
    })

    await t.test('signs with a new secret beside the old one', async () => {
      receiver.answering = withStatus(204)
      await press('New secret')
      const renewed = (await dialog.getByText(/^whsec_/).textContent()) ?? ''
      await confirm('I have copied it')
      await press('Test')
      await tested(/204/).nth(1).waitFor()
      const last = receiver.received.at(-1)
      assert.ok(last && isSigned(last, renewed) && isSigned(last, secret) && renewed !== secret)
    })

    await t.test('can be changed, paused, resumed and deleted', async () => {
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByLabel('Purpose').fill('Archive')
      await page.getByRole('checkbox', { name: 'All changes' }).check()
      await press('Save')
      await page.getByRole('heading', { name: 'Archive' }).waitFor()
      await press('Switch off')
      await page.getByText('Switched off').waitFor()
      await press('Switch on')
      await page.getByText('0 waiting').waitFor()
      await page.getByRole('link', { name: 'Activity' }).click()
      await page.getByRole('link', { name: 'Archive', exact: true }).first().click()
      await press('Delete')
      await confirm('Delete')
      await page.getByText('No webhooks yet').waitFor()
    })

    assert.deepEqual(found, [])
  })

  test('a failing webhook says why and since when, and can continue from another place', async (t) => {
    const api = await startWithWebhooks(t)
    const receiver = await startReceiver(t, withStatus(410))
    await addTodos(api, 'one')
    const { id } = await createWebhook(api, receiver.url, { types: ['todo.created'] })
    await addTodos(api, 'two')
    const page = await openPage(t, `${api.management}/#/webhooks/${id}`)
    const state = page.locator('.wrong').filter({ hasText: /^Disabled since .*: it answered 410$/ })
    await state.waitFor()
    await page.getByText('1 waiting').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    receiver.answering = withStatus(204)
    await page.getByRole('button', { name: 'From the oldest change' }).click()
    await page.getByRole('dialog').getByText('Sends every change that is still in the log').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'From the oldest change' }).click()
    await page.getByText('0 waiting').waitFor()
    assert.deepEqual((await stateOf(api, id)).state, 'delivering')
    const taken = contentOf(await api(`GET /webhooks/${id}/deliveries`)).map(({ status }) => status)
    assert.deepEqual(taken, [204, 204, 410])
  })
})
