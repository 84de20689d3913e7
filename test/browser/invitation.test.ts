import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { asRoot, enrol, fieldOf, root, startBasic } from '#test/access/callers.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { signIn } from './signing-in.ts'

after(closeBrowser)

suite('invitations in the console', { skip }, () => {
  test('an invited person chooses a password without a sign-in, and is then signed in', async (t) => {
    const api = await startBasic(t)
    const { memberId } = await enrol(api, 'mary')
    const made = await api(`POST /members/${memberId}/invitation`, undefined, asRoot)
    const link = `${api.management}/${fieldOf(made, 'url').slice(api.url.length + 1)}`
    const page = await openPage(t, link)
    await page.getByRole('dialog', { name: 'Choose a password' }).getByText('For John Smith.').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    const password = page.getByLabel('New password')
    const submit = () => page.getByRole('button', { name: 'Set the password' }).click()
    await password.fill('short')
    await submit()
    await page.getByRole('alert').getByText('8 to 128 characters.').waitFor()
    await password.fill('open sesame')
    await submit()
    await page.getByText('Signed in as mary').waitFor()
    assert.doesNotMatch(page.url(), /invitation/)

    const again = await openPage(t, link)
    await again.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    assert.deepEqual(await violationsInBothLights(again), [])
  })

  test('an administrator makes a link for a member, and finds the members without a password', async (t) => {
    const api = await startBasic(t)
    const { memberId } = await enrol(api, 'mary')
    await api(`DELETE /members/${memberId}`, undefined, asRoot)
    await api(`POST /members/${memberId}/restore`, undefined, asRoot)
    await enrol(api, 'jane')
    const page = await openPage(t, `${api.management}/#/members?withoutPassword=true`)
    await signIn(page, root.signId, root.password)
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('link', { name: 'John Smith' }).click()
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Make a link' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite John Smith' })
    const link = await dialog.locator('code').textContent()
    assert.match(link ?? '', /^http:\/\/127\.0\.0\.1:\d+\/#\/invitation\/ri_[\w-]{43}$/)
    assert.ok(link?.startsWith(`${api.management}/`), 'from where the console is')
    const secret = link?.split('/').at(-1)
    const as = { authorization: `Bearer ${secret}` }
    assert.equal((await api('GET /members/me/invitation', undefined, as)).status, 200)
  })

  test('selected members are invited together, and their links are saved as a file', async (t) => {
    const api = await startBasic(t)
    await enrol(api, 'mary')
    const { memberId } = await enrol(api, 'jane')
    await api(`PUT /members/${memberId}/role`, { role: 'suspended' }, asRoot)
    const page = await openPage(t, `${api.management}/#/members`)
    await signIn(page, root.signId, root.password)
    await page.getByText('1–2 of 2').waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite 2 members' })
    assert.deepEqual(await violationsInBothLights(page), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Make the links' }).click(),
    ])
    const [, ...lines] = (await textOf(download)).trim().split('\r\n')
    assert.equal(lines.length, 1)
    const [, secret = ''] = /\/#\/invitation\/(ri_[\w-]{43})/.exec(lines[0] ?? '') ?? []
    const as = { authorization: `Bearer ${secret}` }
    assert.equal((await api('GET /members/me/invitation', undefined, as)).status, 200)
    await page.getByText(/^1 link saved as CSV\. Not invited: .*John Smith/).waitFor()
  })

  test('the overview of an empty service shows the first steps until there is a record', async (t) => {
    const api = await startBasic(t)
    const page = await openPage(t, `${api.management}/#/overview`)
    await signIn(page, root.signId, root.password)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByText('a link lets the person choose a password').waitFor()
    await page.getByText("curl -u 'root' -d").waitFor()
    await page.getByRole('img', { name: 'Todos added' }).waitFor({ state: 'detached' })
    assert.deepEqual(await violationsInBothLights(page), [])
    await api('POST /todos', { todoTitle: 'Milk' }, asRoot)
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
  })
})
