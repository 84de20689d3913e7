import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { type john, people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import { closeNote, mergePatch, waitForAnswer } from './console.ts'
import { create, openAt } from './members.ts'

after(closeBrowser)

suite('changing members in the console', { skip }, () => {
  test('changes of different fields are merged without a question, and the note names the fields that others changed', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}/edit`)
    await page.getByLabel('Address', { exact: true }).fill('Kyoto')
    await page.getByLabel('Telephone number').fill(' 111 ')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' })
    const theirs = { zipCode: '222', lastName: 'Jones', telephoneNumber: '111' }
    await api(`PATCH /members/${memberId}`, theirs, mergePatch)
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText('John Jones is saved. Somebody else changed meanwhile: Last name, Zip code', { exact: true })
      .waitFor()
    assert.partialDeepStrictEqual((await api(`GET /members/${memberId}`)).body, {
      ...theirs,
      address: 'Kyoto',
    })
  })

  test('if both changed a field, both versions are shown side by side until the user chooses one or discards the edit', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}/edit`)
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this record' })
    const change = (fields: object) => api(`PATCH /members/${memberId}`, fields, mergePatch)
    const stored = async () => {
      const { firstName, telephoneNumber, address } = (await api(`GET /members/${memberId}`))
        .body as typeof john
      return [firstName, telephoneNumber, address]
    }
    const clash = async (theirs: object) => {
      await page.getByLabel('First name').fill('Johnny')
      await page.getByLabel('Telephone number').fill('111')
      await change(theirs)
      await page.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Your other changes are saved as well: First name.').waitFor()
    }
    await clash({ telephoneNumber: '222', address: 'Kyoto' })
    await dialog.getByText('Their other changes stay: Address.').waitFor()
    await dialog.getByRole('button', { name: 'Discard all my changes' }).click()
    await page.waitForURL(`**/#/members/${memberId}`)
    assert.deepEqual(await stored(), ['John', '222', 'Kyoto'])

    await page.getByRole('link', { name: 'Edit' }).click()
    await clash({ telephoneNumber: '333' })
    const rows = () => dialog.locator('tbody th').allTextContents()
    assert.deepEqual(await rows(), ['Telephone number'])
    assert.equal(await dialog.getByLabel('Telephone number, Yours: 111').isChecked(), true)
    const keep = dialog.getByRole('button', { name: 'Save my choice' })
    await change({ telephoneNumber: '444' })
    await keep.click()
    await dialog.getByLabel('Telephone number, Stored now: 444').check()
    assert.deepEqual(await rows(), ['Telephone number'])
    // A user who chose the other version is not asked again when the others change it once more.
    await change({ telephoneNumber: '555', address: 'Nara' })
    await keep.click()
    await page.getByText('Johnny Smith is saved').waitFor()
    assert.deepEqual(await stored(), ['Johnny', '555', 'Nara'])
  })

  test('a password or a sign id is changed; a sign id in use is refused, and an untouched one is not sent', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}`)
    await create(api, people[0])
    const dialog = page.getByRole('dialog')
    const alert = page.getByRole('alert')
    const password = page.getByLabel('New password')
    const signId = dialog.getByLabel('Sign id')
    const press = (name: string) => page.getByRole('button', { name }).click()
    const storedSignId = async () =>
      ((await api(`GET /members/${memberId}`)).body as typeof john).credential.signId
    await press('Change password')
    await password.and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByLabel('Current password').count(), 0)
    assert.equal(await signId.inputValue(), 'john.smith@example.com')
    await press('Save')
    await alert.getByText('8 to 128 characters.').waitFor()
    await password.fill('short')
    await press('Save')
    await alert.getByText('8 to 128 characters.').waitFor()
    await password.fill('long enough')
    await signId.fill('aiko.tanaka@example.com')
    await press('Save')
    await alert.getByText('aiko.tanaka@example.com is taken.').waitFor()
    await signId.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    await signId.fill('x'.repeat(257))
    await press('Save')
    await alert.getByText('At most 256 characters.').waitFor()
    await signId.fill('  john ')
    await press('Save')
    await page.getByText('John Smith has a new password').waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^john$/ })
      .waitFor()
    assert.equal(await storedSignId(), 'john')

    await press('Change password')
    await api(`PUT /members/${memberId}/credential`, { signId: 'meanwhile', password: 'long enough' })
    await password.fill('long enough')
    await press('Save')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await storedSignId(), 'meanwhile')

    await press('Change password')
    await signId.fill('johnny')
    await press('Save')
    await page.getByText('John Smith signs in as johnny').waitFor()
    assert.equal(await storedSignId(), 'johnny')
  })

  test('A member that is deleted during an edit is restored with the typed values.', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}/edit`)
    const again = page.getByRole('button', { name: 'Add again as typed' })
    await page.getByLabel('Address', { exact: true }).fill('Kyoto')
    await api(`DELETE /members/${memberId}`)
    await page.getByRole('alert').getByText('This member was deleted.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Cancel' }).getAttribute('href'), '#/members')
    assert.deepEqual(await violationsInBothLights(page), [])
    await again.click()
    await page.getByText('John Smith is on the roll again, without a password').waitFor()
    await page.waitForURL(`**/#/members/${memberId}`)
    assert.partialDeepStrictEqual((await api(`GET /members/${memberId}`)).body, { address: 'Kyoto' })

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Address', { exact: true }).fill('Nara')
    await api(`DELETE /members/${memberId}?erase=true`)
    await again.click()
    await page.waitForURL('**/#/members/new')
    assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), 'Nara')
    await page.getByLabel('Password', { exact: true }).fill('long enough')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByText('John Smith is on the roll', { exact: true }).waitFor()
  })

  test('a deletion is sent only once it can no longer be undone, and the member reappears if the deletion fails', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}`)
    const log = page.getByRole('log')
    const link = page.getByRole('link', { name: 'John Smith' })
    const status = async () => (await api(`GET /members/${memberId}`)).status
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Nobody is on the roll yet').waitFor()
    }
    await remove()
    await page.getByText('John Smith is off the roll').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('John Smith is on the roll again').waitFor()
    await link.and(page.locator(':focus')).waitFor()
    await page.getByText('1–1 of 1').waitFor()

    await link.click()
    await remove()
    await api(`PATCH /members/${memberId}`, { zipCode: '222' }, mergePatch)
    await closeNote(page)
    await log.getByText('John Smith was not deleted.').waitFor()
    await log.getByText('Somebody else has changed this member').waitFor()
    await closeNote(page)

    await link.click()
    await page.route('**/api/v1/members/*', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await remove()
    await closeNote(page)
    await log.getByText('The member may not have been deleted: delete it again.').waitFor()
    await page.unroute('**/api/v1/members/*')

    await link.click()
    await remove()
    await page.goBack()
    await page.goForward()
    assert.equal(await status(), 200)
    const sent = waitForAnswer(page, 'DELETE')
    await closeNote(page)
    await sent
    assert.equal(await status(), 404)
  })
})
