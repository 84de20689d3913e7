import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { john, people } from '#test/people.ts'
import { violations } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { chooseFile, holdRequests, saveList } from './console.ts'
import { openIssuer } from './issuer.ts'
import { create } from './members.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

/** How the service refuses a token. */
const refusal = { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, body: '{}' }

/** Everything that the page has stored in the browser. */
const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))

/** The token that the tab keeps. */
const tokenIn = async (page: Page) => /rt_[\w.-]+/.exec(await stored(page))?.[0]

suite('signing in to the console', { skip }, () => {
  test('basic: a wrong password is reported, the right one opens the page, and the password is not stored', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/members`)
    // The list is refused only when the sign-in is almost complete.
    const refuse = await holdRequests(page, '**/api/v1/members?*')
    await page.route('**/api/v1/members/me', async (route) => {
      const refused = page.waitForResponse('**/api/v1/members?*')
      refuse()
      await refused
      await route.continue()
    })
    await page.reload()
    await signIn(page, 'admin', 'wrong-password')
    await page.getByRole('alert').filter({ hasText: 'The sign id or the password is wrong.' }).waitFor()
    await page.getByLabel('Password').and(page.locator(':focus')).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Escape')
    await signIn(page, 'admin', 'admin-password')
    await page.getByRole('link', { name: 'John Smith' }).waitFor()
    await page.getByText('Signed in as admin').waitFor()
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
    const kept = await stored(page)
    assert.match(kept, /rt_/)
    for (const text of ['admin-password', asAdmin.Authorization.slice(6)]) assert.ok(!kept.includes(text))
    await page.getByRole('link', { name: 'John Smith' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('John Smith is off the roll').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    assert.doesNotMatch(await stored(page), /rt_|admin/)
    assert.deepEqual((await api('GET /members', undefined, asAdmin)).body, [], 'the deletion was sent')
  })

  test('basic: a reload and a second tab stay signed in; signing out signs out every tab and revokes the token; signing in signs in every tab', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByRole('link', { name: 'Signed in as john.smith@example.com' }).waitFor()
    await page.reload()
    await page.getByText('Nothing to do').waitFor()
    const second = await page.context().newPage()
    await second.goto(`${api.management}/#/members`)
    await second.getByRole('link', { name: 'John Smith' }).waitFor()
    await second.getByRole('link', { name: 'Signed in as john.smith@example.com' }).waitFor()
    const authorization = `Bearer ${await tokenIn(second)}`
    assert.equal((await api('GET /todos', undefined, { Authorization: authorization })).status, 200)
    await second.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [page, second]) {
      await tab.getByRole('dialog', { name: 'Sign in' }).waitFor()
      assert.equal(await tab.getByRole('link', { name: 'Signed in as' }).count(), 0)
      assert.doesNotMatch(await stored(tab), /rt_/)
    }
    assert.equal((await api('GET /todos', undefined, { Authorization: authorization })).status, 401)
    await signIn(second, 'admin', 'admin-password')
    await second.getByText('Signed in as admin').waitFor()
    await page.getByText('Signed in as admin').waitFor()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor({ state: 'detached' })
  })

  test('basic: “Stay signed in” survives a restart of the browser until the token expires', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = await create(api, john, asAdmin)
    const reopened = async (isLasting: boolean) => {
      const page = await openPage(t, `${api.management}/#/todos`)
      if (isLasting) await page.getByLabel('Stay signed in').check()
      await signIn(page, 'john.smith@example.com', 'demodemo')
      await page.getByText('Nothing to do').waitFor()
      // The session storage of the tab is not part of it.
      const storageState = await page.context().storageState()
      await page.context().close()
      return openPage(t, `${api.management}/#/todos`, { storageState })
    }
    await (await reopened(false)).getByRole('dialog', { name: 'Sign in' }).waitFor()
    const page = await reopened(true)
    await page.getByText('Signed in as john.smith@example.com').waitFor()
    // The page must not read in the background in between: it would forget the token before it is opened again.
    await page.goto('about:blank')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' }, asAdmin)
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('The service did not accept that sign-in').waitFor()
    assert.doesNotMatch(await stored(page), /rt_/)
  })

  test('basic: a tab with unsaved input may stay open after a sign-out, but is covered', async (t) => {
    const api = await startApp(t, basic)
    const page = await openPage(t, `${api.management}/#/members/new`)
    await signIn(page, 'admin', 'admin-password')
    await page.getByText('Signed in as').waitFor()
    await page.getByLabel('First name').pressSequentially('typed before')
    const asked = page.waitForEvent('dialog').then((dialog) => dialog.dismiss())
    const second = await page.context().newPage()
    await second.goto(`${api.management}/#/todos`)
    await second.getByRole('button', { name: 'Sign out' }).click()
    await asked
    const gate = page.getByRole('dialog', { name: 'Sign in' })
    await gate.waitFor()
    assert.equal(await page.getByText('Signed in as').count(), 0)
    await signIn(page, 'admin', 'admin-password')
    await gate.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('First name').inputValue(), 'typed before')
  })

  test('basic: a tab does not take over the sign-in of another user', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = await create(api, john, asAdmin)
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByText('Signed in as').waitFor()
    await page.getByLabel('What needs to be done?').fill('typed before')
    const second = await page.context().newPage()
    await second.goto(`${api.management}/#/todos`)
    await second.getByText('Signed in as').waitFor()
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' }, asAdmin)
    await second.reload()
    await signIn(second, 'admin', 'admin-password')
    await second.getByText('Signed in as admin').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The service did not accept that sign-in').waitFor()
    assert.equal(await page.getByLabel('Sign id').inputValue(), 'john.smith@example.com')
    await page.getByLabel('Password').and(page.locator(':focus')).waitFor()
    await signIn(page, 'john.smith@example.com', 'another one')
    await page.getByRole('button', { name: 'Finish “typed before”', disabled: false }).waitFor()
    await second.reload()
    await second.getByText('Signed in as admin').waitFor()
  })

  test('with passwords, a member', async (t) => {
    const api = await startApp(t, basic)
    const { memberId: own } = await create(api, john, asAdmin)
    const { memberId: other } = await create(api, people[0], asAdmin)
    await api('POST /todos', { todoTitle: 'milk' }, asAdmin)
    const page = await openPage(t, `${api.management}/#/members/new`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const visit = (place: string) => page.goto(`${api.management}/#/${place}`)
    const dialog = page.getByRole('dialog')
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 })

    await t.test('is asked to sign in, and then gets no form for new members', async () => {
      await signIn(page, 'John.Smith@example.com', 'demodemo')
      await page.getByText('You may not add members').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add member' }).count(), 0)
    })

    await t.test('is not offered imports, which the service would refuse', async () => {
      await page.getByRole('link', { name: 'Import' }).waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('link', { name: 'Todos' }).count(), 1)
    })

    await t.test(
      'sees and downloads only the names in the list, and cannot add members by a keyboard shortcut',
      async () => {
        await visit('members')
        await page.getByRole('link', { name: 'John Smith' }).waitFor()
        assert.deepEqual(await page.locator('thead th').allTextContents(), ['Name'])
        await page.getByRole('link', { name: 'New member' }).waitFor({ state: 'detached' })
        await page.getByLabel('Gender').waitFor({ state: 'detached' })
        await page.getByText('View', { exact: true }).click()
        assert.equal(await page.getByRole('radio', { name: 'Dense' }).isVisible(), true)
        assert.equal(await page.getByRole('checkbox').count(), 0)
        const download = await saveList(page)
        const lines = (await textOf(download)).trim().split('\r\n')
        assert.deepEqual(
          lines.map((line) => line.replace(/^.*?,/, '')),
          ['firstName,lastName', 'Aiko,Tanaka', 'John,Smith'],
        )
        await page.getByRole('searchbox').fill('nobody')
        await page.getByText('Nobody found for “nobody”').waitFor()
        assert.equal(await page.getByRole('link', { name: 'New member' }).count(), 0)
        await heading('Members').click()
        await page.keyboard.press('n')
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
        assert.equal(await dialog.getByText('New member').count(), 0)
        assert.equal(page.url(), `${api.management}/#/members?name=nobody`)
        await page.keyboard.press('Escape')
      },
    )

    await t.test('sees in the overview how many todos were added, and nothing about members', async () => {
      await visit('overview')
      await page.getByRole('img', { name: 'Todos added, The last 30 days: 1' }).waitFor()
      assert.equal(await page.getByText('Members added').count(), 0)
      assert.deepEqual(
        asked.filter((url) => url.includes('birthday')),
        [],
      )
    })

    await t.test('finds a link to its own record under its name, also on a phone', async () => {
      await page.getByRole('link', { name: /^Signed in as john.smith@example.com/i }).click()
      await heading('John Smith').waitFor()
      assert.equal(page.url(), `${api.management}/#/members/${own}`)
      assert.deepEqual(await violations(page), [])
      await visit('todos')
      await page.setViewportSize({ width: 400, height: 800 })
      await page.getByRole('button', { name: 'More' }).click()
      await dialog.getByRole('link', { name: 'Signed in as' }).click()
      await heading('John Smith').waitFor()
      await dialog.waitFor({ state: 'detached' })
      await page.setViewportSize({ width: 1280, height: 800 })
    })

    await t.test('stays signed in after changing its credential, and cannot change others', async () => {
      await page.getByRole('button', { name: 'Change password' }).click()
      await dialog.getByLabel('New password').fill('short')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByLabel('New password').and(page.locator(':focus')).waitFor()
      await dialog.getByLabel('New password').fill('another one')
      await dialog.getByLabel('Current password').fill('demodemo')
      await dialog.getByLabel('Sign id').fill('john')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('John Smith has a new password').waitFor()
      await page.getByRole('link', { name: 'Signed in as john', exact: true }).waitFor()
      await visit(`members/${other}`)
      await heading('Aiko Tanaka').waitFor()
      assert.equal(await dialog.count(), 0)
      assert.equal(await page.getByRole('button', { name: /Delete|Change password/ }).count(), 0)
      await visit(`members/${other}/edit`)
      await page.getByText('You may not change this member').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
      await visit(`members/${own}/edit`)
      await page.getByRole('button', { name: 'Save' }).waitFor()
    })

    await t.test('sees that it may not import', async () => {
      await visit('import')
      await chooseFile(page, JSON.stringify(people))
      await page.getByRole('alert').getByText('Access is denied.').waitFor()
      await visit('todos')
    })

    await t.test('has a name that is a link, unlike the administrator', async () => {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await signIn(page, 'admin', 'admin-password')
      await page.getByText('Signed in as admin').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Signed in as' }).count(), 0)
    })
  })

  test('basic: polling announces an invalid sign-in, and the next action asks for a new one', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = await create(api, john, asAdmin)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByText('Nothing to do').waitFor()
    const field = page.getByLabel('What needs to be done?')
    await field.fill('typed before')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' }, asAdmin)
    let refusals = 0
    page.on('response', (response) => (refusals += Number(response.status() === 401)))
    await page.clock.runFor(10_000)
    await page.getByRole('status').getByText('The service asks you to sign in again').waitFor()
    assert.deepEqual(await violations(page), [])
    const refused = refusals
    assert.ok(refused > 0)
    await page.clock.runFor(60_000)
    assert.equal(refusals, refused, 'nothing is asked again')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await signIn(page, 'john.smith@example.com', 'another one')
    await page.getByRole('button', { name: 'Finish “typed before”', disabled: false }).waitFor()
    assert.equal(await page.getByText('The service asks you to sign in again').count(), 0)
  })

  test('oauth: a refused token is renewed silently, also while polling, even if the provider fails once or has sent no new refresh token', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    let current: string | undefined
    let refused: string | undefined
    await page.route('**/api/**', (route) => {
      current = route.request().headers().authorization
      const isRefused = refused !== undefined && current === refused
      return isRefused ? route.fulfill(refusal) : route.fallback()
    })
    await page.goto(`${api.management}/#/todos`)
    await page.getByRole('button', { name: /^Continue at/ }).click()
    await page.getByText('Nothing to do').waitFor()
    for (const renewals of [1, 2]) {
      await page.goto(`${api.management}/#/members`)
      await page.getByText('Access is denied.').waitFor()
      await page.route('**/api/**', (route) => route.fulfill(refusal), { times: 1 })
      await page.route('**/token', (route) => route.abort(), { times: 1 })
      await page.goto(`${api.management}/#/todos`)
      await page.getByText('Nothing to do').waitFor()
      assert.equal(issuer.state.renewals, renewals)
    }
    const renewed = page.waitForResponse('**/token')
    const polled = page.waitForResponse(
      (response) => response.status() === 304 && response.request().headers().authorization !== refused,
    )
    refused = current
    assert.ok(refused)
    await page.clock.runFor(10_000)
    await renewed
    await polled
    assert.equal(await page.getByText('The service asks you to sign in again').count(), 0)
  })

  test('oauth: after the sign-in at the provider, the requested page opens, and no token is stored', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read todos:create members:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    const go = page.getByRole('button', { name: /^Continue at 127\.0\.0\.1/ })
    await go.waitFor()
    assert.deepEqual(await violations(page), [])
    await go.click()
    await page.getByText('Nothing to do').waitFor()
    await page.getByText(`Signed in at ${new URL(issuer.url).host}`).waitFor()
    assert.match(page.url(), /\/#\/todos$/)
    assert.doesNotMatch(await stored(page), /eyJ|verifier/)
    await page.getByLabel('What needs to be done?').fill('by token')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “by token”' }).click()
    await page.getByText('“by token” was not finished.').waitFor()
    await page.getByText('Access is denied.').waitFor()
  })

  test('oauth: an expired token is renewed silently once; if the new token is refused too, the user must sign in', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    issuer.state.lifetimeSeconds = -3_600
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    const go = page.getByRole('button', { name: /^Continue at/ })
    await go.click()
    await page.getByText('The service did not accept that sign-in').waitFor()
    assert.equal(issuer.state.renewals, 1)
    issuer.state.renewedLifetimeSeconds = 3_600
    await go.click()
    await page.getByText('Nothing to do').waitFor()
    assert.equal(issuer.state.renewals, 2)
  })

  test('oauth: metadata and responses of another issuer are refused, and so are responses without a pending sign-in', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, 'about:blank')
    const metadata = /oauth-authorization-server|openid-configuration/
    await page.route(metadata, async (route) => {
      const response = await route.fetch()
      const told = (await response.json()) as object
      await route.fulfill({ response, json: { ...told, issuer: `${issuer.url}/other` } })
    })
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('The identity provider of this service cannot be found.').waitFor()
    await page.unroute(metadata)
    await page.reload()
    const go = page.getByRole('button', { name: /^Continue at/ })
    const refused = page.getByText('the answer does not belong to this sign-in')
    issuer.state.iss = 'http://127.0.0.1:1'
    await go.click()
    await refused.waitFor()
    await page.goto(`${api.management}/?code=stolen&state=forged#/todos`)
    await refused.waitFor()
    assert.doesNotMatch(page.url(), /stolen/)
    issuer.state.iss = issuer.url
    await go.click()
    await page.getByText('Nothing to do').waitFor()
  })
})

/** Starts a service that accepts the tokens of this issuer. */
const startTrusting = (t: TestContext, { url }: { readonly url: string }) =>
  startApp(t, { ACCESS: 'oauth', OAUTH_ISSUER: url, OAUTH_AUDIENCE: 'rollcall' })
