import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { john, startApp } from '#test/harness.ts'
import { violations } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { openIssuer } from './issuer.ts'
import { people } from './people.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

/** What the browser would keep when the page is gone. */
const kept = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))

suite('signing in to the console', { skip }, () => {
  test('basic: a wrong password is told, a right one opens what was asked for, and nothing is kept', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/members`)
    await signIn(page, 'admin', 'wrong-password')
    await page.getByRole('alert').filter({ hasText: 'The sign id or the password is wrong.' }).waitFor()
    await page.getByLabel('Password').and(page.locator(':focus')).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Escape')
    await signIn(page, 'admin', 'admin-password')
    await page.getByRole('link', { name: 'John Smith' }).waitFor()
    await page.getByText('Signed in as admin').waitFor()
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
    assert.doesNotMatch(await kept(page), /admin/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
  })

  test('basic: a member sees the others by name alone, and is offered nothing that it may not do, not even by a key', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/members`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByRole('link', { name: 'John Smith' }).waitFor()
    assert.deepEqual(await page.locator('thead th').allTextContents(), ['Name'])
    await page.getByRole('link', { name: 'New member' }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('No member’s name contains “nobody”').waitFor()
    assert.equal(await page.getByRole('link', { name: 'New member' }).count(), 0)
    await page.getByRole('heading', { name: 'Members', level: 1 }).click()
    await page.keyboard.press('n')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    assert.equal(await page.getByRole('dialog').getByText('New member').count(), 0)
    assert.equal(page.url(), `${api.management}/#/members?name=nobody`)
  })

  test('basic: a member is led to itself, the administrator to nobody', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = (await api('POST /members', john, asAdmin)).body as { memberId: string }
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByRole('link', { name: 'Signed in as john.smith@example.com' }).click()
    await page.getByRole('heading', { name: 'John Smith', level: 1 }).waitFor()
    assert.equal(page.url(), `${api.management}/#/members/${memberId}`)
    assert.deepEqual(await violations(page), [])
    await page.goto(`${api.management}/#/todos`)
    await page.setViewportSize({ width: 400, height: 800 })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Signed in as' }).click()
    await page.getByRole('heading', { name: 'John Smith', level: 1 }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'admin', 'admin-password')
    await page.getByText('Signed in as admin').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Signed in as' }).count(), 0)
  })

  test('basic: a member who sees only names searches by name only, also before the page knows', async (t) => {
    const api = await startApp(t, basic)
    for (const member of [people[0], john]) await api('POST /members', member, asAdmin)
    const page = await openPage(t, `${api.management}/#/members?name=aiko.tanaka@example.com`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByRole('status').getByText('0 members with “aiko.tanaka@example.com”').waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).click()
    await page.getByRole('searchbox', { name: 'Search by name', exact: true }).fill('nobody')
    await page
      .getByText('Case, width and the order of the names make no difference.', { exact: true })
      .waitFor()
  })

  test('basic: a member downloads no more than the list shows it', async (t) => {
    const api = await startApp(t, basic)
    for (const member of [people[0], john]) await api('POST /members', member, asAdmin)
    const page = await openPage(t, `${api.management}/#/members`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    assert.deepEqual(
      lines.map((line) => line.replace(/^.*?,/, '')),
      ['firstName,lastName', 'John,Smith', 'Aiko,Tanaka'],
    )
  })

  test('basic: who comes to the form of a new member is asked to sign in at once, and told where it may not add any', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/members/new`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByText('You may not add members').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add member' }).count(), 0)
  })

  test('basic: a member goes on with the sign id and the password that it changed, and is offered nothing of others', async (t) => {
    const api = await startApp(t, basic)
    const { body: own } = await api('POST /members', john, asAdmin)
    const { body: other } = await api('POST /members', { ...people[0] }, asAdmin)
    const at = (member: unknown) => `${api.management}/#/members/${(member as { memberId: string }).memberId}`
    const page = await openPage(t, at(own))
    await signIn(page, 'John.Smith@example.com', 'demodemo')
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New password').fill('short')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByLabel('New password').and(page.locator(':focus')).waitFor()
    await dialog.getByLabel('New password').fill('another one')
    await dialog.getByLabel('Current password').fill('demodemo')
    await dialog.getByLabel('Sign id').fill('john')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith has a new password').waitFor()
    await page.getByRole('link', { name: 'Signed in as john', exact: true }).waitFor()
    await page.goto(at(other))
    await page.getByRole('heading', { name: 'Aiko Tanaka', level: 1 }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.getByRole('button', { name: /Delete|Change password/ }).count(), 0)
    await page.goto(`${at(other)}/edit`)
    await page.getByText('You may not change this member').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    await page.goto(`${at(own)}/edit`)
    await page.getByRole('button', { name: 'Save' }).waitFor()
  })

  test('basic: a sign-in that dies while one works is asked for again, and nothing typed is lost', async (t) => {
    const api = await startApp(t, basic)
    const { body } = await api('POST /members', john, asAdmin)
    const { memberId } = body as { memberId: string }
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    await page.getByText('Signed in as').waitFor()
    await page.getByLabel('What needs to be done?').fill('typed before')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' }, asAdmin)
    await page.keyboard.press('Enter')
    await page.getByText('The service did not accept that sign-in').waitFor()
    await signIn(page, 'john.smith@example.com', 'another one')
    await page.getByRole('button', { name: 'Finish “typed before”' }).waitFor()
  })

  /** A member signed in at this place, whose clock is the test's, and whose password can be changed. */
  const signedInAt = async (t: TestContext, place: string) => {
    const api = await startApp(t, basic)
    const { memberId } = (await api('POST /members', john, asAdmin)).body as { memberId: string }
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/${place}`)
    await signIn(page, 'john.smith@example.com', 'demodemo')
    const changePassword = () =>
      api(`PUT /members/${memberId}/credential`, { password: 'another one' }, asAdmin)
    return { api, page, changePassword }
  }

  test('basic: a sign-in that dies while one types is told by what looks again, and asked for at the next action', async (t) => {
    const { page, changePassword } = await signedInAt(t, 'todos')
    await page.getByText('Nothing to do').waitFor()
    const field = page.getByLabel('What needs to be done?')
    await field.fill('typed before')
    await changePassword()
    let refusals = 0
    page.on('response', (response) => (refusals += Number(response.status() === 401)))
    await page.clock.runFor(10_000)
    await page.getByRole('status').getByText('The service asks you to sign in again').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.clock.runFor(60_000)
    assert.equal(refusals, 1)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await signIn(page, 'john.smith@example.com', 'another one')
    await page.getByRole('button', { name: 'Finish “typed before”' }).waitFor()
    assert.equal(await page.getByText('The service asks you to sign in again').count(), 0)
  })

  test('basic: the overview asks nobody to sign in again before one wants to', async (t) => {
    const { api, page, changePassword } = await signedInAt(t, 'overview')
    await page.getByRole('link', { name: 'Open todos 0' }).waitFor()
    await changePassword()
    await page.clock.runFor(5_000)
    const told = page.getByRole('status').getByText('The service asks you to sign in again')
    await told.waitFor()
    await page.getByText(/^Counted at/).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signIn(page, 'john.smith@example.com', 'another one')
    await told.waitFor({ state: 'detached' })
    await api('POST /todos', { todoTitle: 'new' }, asAdmin)
    await page.clock.runFor(10_000)
    await page.getByRole('link', { name: 'Open todos 1' }).waitFor()
    assert.equal(await page.getByText(/^Counted at/).count(), 0)
  })

  test('oauth: a token that has run out is renewed without a word by what looks again, too', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/todos`)
    await page.getByRole('button', { name: /^Continue at/ }).click()
    await page.getByText('Nothing to do').waitFor()
    const refusal = {
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      body: '{}',
    }
    await page.route('**/api/**', (route) => route.fulfill(refusal), { times: 1 })
    const renewed = page.waitForResponse('**/token')
    const looked = page.waitForResponse((response) => response.status() === 304)
    await page.clock.runFor(10_000)
    await renewed
    await looked
    assert.equal(await page.getByText('The service asks you to sign in again').count(), 0)
  })

  test('oauth: one goes to the provider and comes back signed in, to the page that was asked for', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read todos:create members:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    const go = page.getByRole('button', { name: /^Continue at 127\.0\.0\.1/ })
    await go.waitFor()
    assert.deepEqual(await violations(page), [])
    await go.click()
    await page.getByText('Nothing to do').waitFor()
    await page.getByText('Signed in as').waitFor()
    assert.match(page.url(), /\/#\/todos$/)
    assert.doesNotMatch(await kept(page), /eyJ|verifier/)
    await page.getByLabel('What needs to be done?').fill('by token')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “by token”' }).click()
    await page.getByText('“by token” was not finished.').waitFor()
    await page.getByText('Access is denied.').waitFor()
  })

  test('oauth: a token that has run out is renewed without a word', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read todos:create')
    issuer.live(-3_600)
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    issuer.liveAfterRenewal(60)
    await page.getByRole('button', { name: /^Continue at/ }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.equal(issuer.renewals(), 1)
  })

  test('oauth: renewed tokens that are no better are not renewed without end, but asked about', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    issuer.live(-3_600)
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByRole('button', { name: /^Continue at/ }).click()
    await page.getByText('The service did not accept that sign-in').waitFor()
    assert.equal(issuer.renewals(), 1)
  })

  test('oauth: a token is renewed again where the provider sends no other to renew by, or fails once', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByRole('button', { name: /^Continue at/ }).click()
    await page.getByText('Nothing to do').waitFor()
    const refusal = {
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
      body: '{}',
    }
    for (const renewals of [1, 2]) {
      await page.goto(`${api.management}/#/members`)
      await page.getByText('Access is denied.').waitFor()
      await page.route('**/api/**', (route) => route.fulfill(refusal), { times: 1 })
      await page.route('**/token', (route) => route.abort(), { times: 1 })
      await page.goto(`${api.management}/#/todos`)
      await page.getByText('Nothing to do').waitFor()
      assert.equal(issuer.renewals(), renewals)
    }
  })

  test('oauth: a provider that hangs, and a page that came over plain HTTP, are told', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.route('**/token', () => undefined)
    const go = page.getByRole('button', { name: /^Continue at/ })
    await go.click()
    await page.getByText('The identity provider does not answer.').waitFor()
    await page.evaluate(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }))
    await go.click()
    await page.getByText('This page was loaded over plain HTTP.').waitFor()
  })

  test('oauth: an issuer that is described as another one is not gone to', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, 'about:blank')
    await page.route(/oauth-authorization-server|openid-configuration/, async (route) => {
      const response = await route.fetch()
      const described = (await response.json()) as object
      await route.fulfill({ response, json: { ...described, issuer: `${issuer.url}/other` } })
    })
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('The identity provider of this service cannot be found.').waitFor()
  })

  test('oauth: an answer that names another issuer is refused, one that names the right one is taken', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/#/todos`)
    const go = page.getByRole('button', { name: /^Continue at/ })
    issuer.nameItself('http://127.0.0.1:1')
    await go.click()
    await page.getByText('the answer does not belong to this sign-in').waitFor()
    issuer.nameItself(issuer.url)
    await go.click()
    await page.getByText('Nothing to do').waitFor()
  })

  test('oauth: an answer that belongs to no sign-in of ours is refused', async (t) => {
    const issuer = await openIssuer(t, 'rollcall', 'todos:read')
    const api = await startTrusting(t, issuer)
    const page = await openPage(t, `${api.management}/?code=stolen&state=forged#/todos`)
    await page.getByText('the answer does not belong to this sign-in').waitFor()
    assert.doesNotMatch(page.url(), /stolen/)
  })
})

/** The service that takes the tokens of this issuer. */
const startTrusting = (t: TestContext, { url }: { readonly url: string }) =>
  startApp(t, { ACCESS: 'oauth', OAUTH_ISSUER: url, OAUTH_AUDIENCE: 'rollcall' })
