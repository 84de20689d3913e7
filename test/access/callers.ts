import type { TestContext } from 'node:test'
import { type Answer, type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'

export const root = { signId: 'root', password: 'correct horse' }

export const basic = (signId: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`,
})

export const asRoot = basic(root.signId, root.password)

/** The service with basic access and an administrator. */
export const startBasic = (
  t: TestContext,
  settings: Record<string, string> = {},
  world: Parameters<typeof startApp>[2] = {},
): Promise<Api> =>
  startApp(
    t,
    { ACCESS: 'basic', ADMIN_SIGN_ID: root.signId, ADMIN_PASSWORD: root.password, ...settings },
    world,
  )

export interface Person {
  readonly memberId: string
  readonly password: string
  readonly headers: { readonly authorization: string }
}

/** A new member that can sign in. */
export const enrol = async (api: Api, signId: string, password = 'swordfish'): Promise<Person> => {
  const answer = await api('POST /members', { ...john, credential: { signId, password } }, asRoot)
  if (answer.status !== 201) throw new Error(answer.text)
  return { memberId: fieldOf(answer, 'memberId'), password, headers: basic(signId, password) }
}

export const fieldOf = (answer: Answer, name: string): string =>
  String((answer.body as Readonly<Record<string, unknown>>)[name])

/** A clock that moves only when a test moves it. */
export const stoppedClock = (start = Date.UTC(2026, 0, 1)) => {
  let instant = start
  const pass = (ms: number) => {
    instant += ms
  }
  return { now: () => instant, pass }
}
