import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { passwordHasher } from '#core/password.ts'
import { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'
import { stoppedClock } from '#test/access/callers.ts'
import { startThrottle } from '#test/throttle.ts'
import { basicAccess } from './basic.ts'
import { logins } from './logins.ts'

/** Basic access where only Mary is known. Returns the member, or the kind of the refusal. */
const started = async (t: TestContext, passwords = passwordHasher()) => {
  const authenticate = basicAccess({
    administrator: { signId: 'root', passwordHash: '', stamp: '' },
    signIn: async (signId, password) =>
      signId === 'mary' && password === 'swordfish'
        ? { memberId: 'm1', isAdministrator: false, stamp: '' }
        : undefined,
    passwords,
    logins: logins(stoppedClock()),
    throttle: await startThrottle(t),
    bearer: () => assert.fail('no token is sent'),
  })
  return async (signId: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`
    const incoming = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
    try {
      const { id } = await authenticate({ incoming, address: '192.0.2.1', exchange: {} } as Caller)
      return id
    } catch (error) {
      return error instanceof Problem ? error.kind : error
    }
  }
}

test('ten simultaneous copies of one wrong guess count as ten failures', async (t) => {
  const enter = await started(t)
  const answers = await Promise.all(Array.from({ length: 10 }, () => enter('mary', 'guess')))
  assert.deepEqual(new Set(answers), new Set(['unauthenticated']))
  assert.equal(await enter('mary', 'another guess'), 'tooManyRequests')
})

test('with 16 checks waiting, an unknown login is refused as overload and a known one admitted', async (t) => {
  const passwords = { ...passwordHasher(), waiting: 15 }
  const enter = await started(t, passwords)
  assert.equal(await enter('mary', 'swordfish'), 'm1')
  passwords.waiting = 16
  assert.equal(await enter('john', 'swordfish'), 'overloaded')
  assert.equal(await enter('mary', 'swordfish'), 'm1')
})
