import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

suite('keys and roles in the console', { skip }, () => {
  test('for an administrator and for a member', async (t) => {
    const api = await startApp(t, basic)
    const { body } = await api(
      'POST /members',
      { ...people[0], credential: { signId: 'aiko', password: 'open sesame' } },
      asAdmin,
    )
    const { memberId } = body as { memberId: string }
    const page = await openPage(t, `${api.management}/#/members`)
    await signIn(page, 'admin', 'admin-password')
    const dialog = page.getByRole('dialog')
    const found: string[] = []
    const look = async () => found.push(...(await violationsInBothLights(page)))
    const statusWith = async (secret: string, line: string) =>
      (await api(line, undefined, { Authorization: `Bearer ${secret}` })).status

    await t.test('a new key is shown once, and permits only the chosen scopes', async () => {
      await page.getByRole('link', { name: 'Keys' }).click()
      await page.getByText('No keys yet').waitFor()
      await page.getByRole('link', { name: 'New key' }).first().click()
      await page.getByRole('button', { name: 'Add key' }).click()
      await page.getByText('This is required.').waitFor()
      await page.getByText('Choose at least one.').waitFor()
      await look()
      await page.getByLabel('Name').fill('Nightly report')
      await page.getByRole('checkbox', { name: 'Todos read' }).check()
      await page.getByRole('radio', { name: '30 days' }).check()
      await page.getByRole('button', { name: 'Add key' }).click()
      const secret = (await dialog.getByText(/^rk_/).textContent()) ?? ''
      await look()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await dialog.getByText(secret).waitFor()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('heading', { name: 'Nightly report' }).waitFor()
      await page.getByText('Todos: read').waitFor()
      await page.getByText('never used').waitFor()
      await look()
      assert.equal(await statusWith(secret, 'GET /todos'), 200)
      assert.equal(await statusWith(secret, 'GET /members'), 403)
      assert.equal(await page.getByText(secret).count(), 0)
      await page.getByRole('link', { name: 'Keys' }).last().click()
      const row = page.getByRole('row').filter({ hasText: 'Nightly report' })
      await row.getByText('in the hour from').waitFor()
      await row.getByText('the administrator').waitFor()
      await row.getByText(`${secret.slice(0, 8)}…`).waitFor()
      await look()
      await row.getByText('the administrator').click()
      await page.route('**/secret', (route) => route.abort(), { times: 1 })
      await page.getByRole('button', { name: 'New secret' }).click()
      await page.getByText('No answer from the service. This may have been done').waitFor()
      await page.getByRole('button', { name: 'New secret' }).click()
      await dialog.getByText('The old secret stays valid for 24 hours').waitFor()
      const renewed = (await dialog.getByText(/^rk_/).textContent()) ?? ''
      await look()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      for (const one of [secret, renewed]) assert.equal(await statusWith(one, 'GET /todos'), 200)
      await look()
      await page.getByRole('link', { name: 'Open as a page' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('A deleted key cannot be restored.').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('No keys yet').waitFor()
      await look()
      assert.equal(await statusWith(secret, 'GET /todos'), 401)
    })

    await t.test('a key is renamed and gets more scopes', async () => {
      const made = await api(
        'POST /keys',
        { name: 'Shelf', scopes: ['todos:read'], expiresAt: null },
        asAdmin,
      )
      const { keyId, secret } = made.body as { keyId: string; secret: string }
      await page.goto(`${api.management}/#/keys/${keyId}/edit`)
      await page.getByLabel('Name').fill('Shelves')
      await page.getByRole('checkbox', { name: 'Members read' }).check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Members: read').waitFor()
      await page.getByText('Does not expire').waitFor()
      assert.equal(await statusWith(secret, 'GET /members'), 200)
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByText('Only Shelves').waitFor()
      await page.goto(`${api.management}/#/keys`)
    })

    await t.test('a key that expires soon is marked', async () => {
      const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString()
      await api('POST /keys', { name: 'Door', scopes: ['todos:read'], expiresAt }, asAdmin)
      await page.locator('.warning').getByText('Ends in 5 days').waitFor()
    })

    await t.test('a suspended member cannot sign in until the suspension ends', async () => {
      const asAiko = { Authorization: `Basic ${btoa('aiko:open sesame')}` }
      const choose = async (role: string) => {
        await page.getByLabel('Role').selectOption(role)
        await look()
        const done = page.waitForResponse((answer) => answer.request().method() === 'PUT')
        await dialog.getByRole('button', { name: role }).click()
        await done
      }
      await page.goto(`${api.management}/#/members/${memberId}`)
      await choose('Suspended')
      assert.equal((await api('GET /todos', undefined, asAiko)).status, 401)
      await choose('Member')
      assert.equal((await api('GET /todos', undefined, asAiko)).status, 200)
    })

    await t.test('a member sees its own history, and no pages of administrators', async (t) => {
      const theirs = await openPage(t, `${api.management}/#/members`)
      await signIn(theirs, 'aiko', 'open sesame')
      await theirs.getByRole('link', { name: 'Aiko Tanaka' }).click()
      await theirs.getByRole('link', { name: 'History' }).click()
      await theirs.getByText('Role changed').first().waitFor()
      assert.equal(await theirs.getByRole('button', { name: 'Erase' }).count(), 0)
      assert.equal(await theirs.getByRole('link', { name: 'Activity' }).count(), 0)
      for (const path of ['activity', 'keys', 'webhooks', 'service']) {
        await theirs.goto(`${api.management}/#/${path}`)
        await theirs.getByRole('alert').getByText('Your sign-in does not allow this.').waitFor()
      }
    })

    assert.deepEqual(found, [])
  })
})
