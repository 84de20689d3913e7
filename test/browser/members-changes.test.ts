import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { john, people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import { create, open, openClash } from './members.ts'

after(closeBrowser)

suite('changing members in the console', { skip }, () => {
  test('changes of different fields are all saved without a question, and the note names those of others', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('Address', { exact: true }).fill('Kyoto')
    await page.getByLabel('Telephone number').fill(' 111 ')
    const { credential: _, ...profile } = john
    const theirs = { zipCode: '222', lastName: 'Jones', telephoneNumber: '111' }
    await api(`PUT /members/${memberId}`, { ...profile, ...theirs })
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText('John Jones is saved. Somebody else changed meanwhile: Last name, Zip code', { exact: true })
      .waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.address, stored.zipCode, stored.lastName], ['Kyoto', '222', 'Jones'])
  })

  test('when both changed a field, the choice says what else is saved, and to discard discards all of it', async (t) => {
    const { api, page, memberId, dialog } = await openClash(t)
    await dialog.getByText('Your other changes are saved as well: First name.').waitFor()
    await dialog.getByText('Their other changes stay: Address.').waitFor()
    await dialog.getByRole('button', { name: 'Discard all my changes' }).click()
    await page.waitForURL(`**/#/members/${memberId}`)
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber, stored.address], ['John', '222', 'Kyoto'])
  })

  test('on a concurrent change both versions are shown side by side, and the choice is saved', async (t) => {
    const { api, page, memberId, dialog } = await openClash(t)
    await dialog.waitFor()
    assert.deepEqual(await dialog.locator('tbody th').allTextContents(), ['Telephone number'])
    assert.equal(await dialog.getByLabel('Telephone number, Yours: 111').isChecked(), true)
    await dialog.getByLabel('Telephone number, Stored now: 222').check()
    await dialog.getByRole('button', { name: 'Save my choice' }).click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber, stored.address], ['Johnny', '222', 'Kyoto'])
  })

  test('a second conflict is judged by the choice made at the first', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    const { credential: _, ...profile } = john
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this record' })
    const rows = () => dialog.locator('tbody th').allTextContents()
    const keep = dialog.getByRole('button', { name: 'Save my choice' })
    await page.getByLabel('First name').fill('Johnny')
    await page.getByLabel('Telephone number').fill('111')
    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '222' })
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByLabel('Telephone number, Yours: 111').check()

    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '333' })
    await keep.click()
    await dialog.getByLabel('Telephone number, Stored now: 333').check()
    assert.deepEqual(await rows(), ['Telephone number'])

    await api(`PUT /members/${memberId}`, { ...profile, address: 'Kyoto' })
    await keep.click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual(
      [stored.firstName, stored.telephoneNumber, stored.address],
      ['Johnny', john.telephoneNumber, 'Kyoto'],
    )
  })

  test('a concurrent change outside the form, or equal to the edit, is saved without a question', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await page.getByLabel('Telephone number').fill('111')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' })
    const { credential: _, ...profile } = john
    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '111' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber], ['Johnny', '111'])
  })

  test('saving a member that somebody else has deleted says so', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await api(`DELETE /members/${memberId}`)
    const save = page.getByRole('button', { name: 'Save' })
    const alert = page.getByRole('alert')
    await save.click()
    await alert.getByText('Somebody has deleted this member, so nothing was saved.').waitFor()
    await page.getByRole('radio', { name: '日本語' }).check()
    await alert.getByText('この会員は削除されているため、保存できませんでした。').waitFor()
  })

  test('an empty or short new password is refused; with open access no current one is needed', async (t) => {
    const { page } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('New password').and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByLabel('Current password').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('This is required.').waitFor()
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('8 to 128 characters.').waitFor()
    await page.getByLabel('New password').fill('long enough')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith has a new password').waitFor()
  })

  test('a sign id is changed together with the password; one in use is refused at its field', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await create(api, people[0])
    await page.getByRole('button', { name: 'Change password' }).click()
    const signId = page.getByRole('dialog').getByLabel('Sign id')
    assert.equal(await signId.inputValue(), 'john.smith@example.com')
    await page.getByLabel('New password').fill('long enough')
    const save = page.getByRole('button', { name: 'Save' })
    await signId.fill(people[0]?.emailAddress ?? '')
    await save.click()
    await page.getByRole('alert').getByText('aiko.tanaka@example.com is taken.').waitFor()
    await signId.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    await signId.fill('x'.repeat(257))
    await save.click()
    await page.getByRole('alert').getByText('At most 256 characters.').waitFor()
    await signId.fill('  john ')
    await save.click()
    await page.getByText('John Smith has a new password').waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^john$/ })
      .waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    assert.equal((body as { credential: { signId: string } }).credential.signId, 'john')
  })

  test('an untouched sign id is not reset to the one the page shows', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await api(`PUT /members/${memberId}/credential`, { signId: 'meanwhile', password: 'long enough' })
    await page.getByLabel('New password').fill('long enough')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith has a new password').waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    assert.equal((body as { credential: { signId: string } }).credential.signId, 'meanwhile')
  })

  test('a deleted member is sent to be deleted only once that can no longer be undone', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    const remove = page.getByRole('button', { name: 'Delete' })
    await remove.click()
    await page.getByText('John Smith is off the roll').waitFor()
    await page.getByText('Nobody is on the roll yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('John Smith is on the roll again').waitFor()
    const link = page.getByRole('link', { name: 'John Smith' })
    await link.and(page.locator(':focus')).waitFor()
    await page.getByText('1–1 of 1').waitFor()
    assert.equal((await api(`GET /members/${memberId}`)).status, 200)
    await link.click()
    await remove.click()
    await page.goBack()
    await page.goForward()
    const sent = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()
    await sent
    assert.equal((await api(`GET /members/${memberId}`)).status, 404)
  })

  test('a pending deletion is carried out when the page is left', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('John Smith is off the roll').waitFor()
    await page.reload()
    await page.getByText('Nobody is on the roll yet').waitFor()
    assert.equal((await api(`GET /members/${memberId}`)).status, 404)
  })

  test('a member that somebody else changed is not deleted, nor one whose answer was lost believed to be', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    const log = page.getByRole('log')
    const close = () => log.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Nobody is on the roll yet').waitFor()
    const { credential: _, ...profile } = john
    await api(`PUT /members/${memberId}`, { ...profile, zipCode: '222' })
    await close()
    await log.getByText('John Smith was not deleted.').waitFor()
    await log.getByText('Somebody else has changed this member').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await close()

    await page.getByRole('link', { name: 'John Smith' }).click()
    await page.route('**/api/v1/members/*', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Nobody is on the roll yet').waitFor()
    await close()
    await log.getByText('The member may not have been deleted: delete it again.').waitFor()
    await page.getByRole('link', { name: 'John Smith' }).waitFor()
    assert.equal((await api(`GET /members/${memberId}`)).status, 200)
  })

  test('a missing member is reported with the track id of the request', async (t) => {
    const { page } = await open(t, () => 'members/nobody')
    await page.getByText('Specified member not found. member id : nobody').waitFor()
    await page.getByText(/^[0-9a-f]{32}$/).waitFor()
    await page.waitForFunction(() => document.title === 'There is no such member · Rollcall')
  })
})
