import type { Page } from 'playwright-core'

/** Settings of a service with basic access, and the credentials of its administrator. */
export const basic = { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin-password' }
export const asAdmin = { Authorization: `Basic ${btoa('admin:admin-password')}` }

export const signIn = async (page: Page, signId: string, password: string) => {
  const gate = page.getByRole('dialog', { name: 'Sign in' })
  await gate.getByLabel('Sign id').fill(signId)
  await gate.getByLabel('Password').fill(password)
  await gate.getByRole('button', { name: 'Sign in' }).click()
}
