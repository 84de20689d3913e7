import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordHasher } from '#core/password.ts'
import { overloaded } from '#core/problem.ts'
import { serviceActor } from '#ledger/change-log.ts'
import { engines } from '#test/engines.ts'
import { memberStoreOn, storedMember } from '#test/stored-members.ts'
import { member } from './index.ts'
import { memberSignIn } from './sign-in.ts'

const passwords = passwordHasher()
const now = Date.UTC(2026, 0, 1)

/** Made by the reference implementation, `argon2 -id`: password `password`, salt `somesalt`. */
const imported = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

const credential = { signId: 'mary', passwordLastChangedAt: now, lastModifiedAt: now }
const mary = storedMember(1, { credential })

const access = {
  memberId: mary.memberId,
  isAdministrator: false,
  stamp: `${now}.0`,
  credentialStamp: `${now}`,
}

for (const { name, open, skip } of engines) {
  test(`${name}: the first successful login replaces an imported hash with one at our costs`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const store = memberStoreOn(db)
    const { signIn } = memberSignIn(db, passwords)
    await store.insert(mary, { passwordHash: imported }, serviceActor())
    assert.equal(await signIn('mary', 'wrong'), undefined)
    assert.equal(await store.passwordHash(mary.memberId), imported)
    assert.deepEqual(await signIn('MARY', 'password'), access)
    const renewed = await store.passwordHash(mary.memberId)
    assert.ok(renewed && passwords.hasCurrentCosts(renewed))
    assert.deepEqual(await store.find(mary.memberId), mary)
    assert.deepEqual(await Array.fromAsync(member.verify(db)), [])
    assert.deepEqual(await signIn('mary', 'password'), access)
    assert.equal(await store.passwordHash(mary.memberId), renewed)
  })

  test(`${name}: a login succeeds even if its hash cannot be renewed at the moment`, { skip }, async (t) => {
    const db = await open(t)
    const store = memberStoreOn(db)
    await store.insert(mary, { passwordHash: imported }, serviceActor())
    const hash = () => Promise.reject(overloaded())
    const { signIn } = memberSignIn(db, { ...passwords, waiting: 0, hash })
    assert.deepEqual(await signIn('mary', 'password'), access)
    assert.equal(await store.passwordHash(mary.memberId), imported)
  })

  test(`${name}: renewing a hash at login does not undo a concurrent change of password`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const store = memberStoreOn(db)
    const changed = await passwords.hash('new password')
    const hash = async (password: string) => {
      assert.equal(
        await store.replaceCredential(
          { ...mary, version: 2 },
          { passwordHash: changed, changed: [] },
          serviceActor(),
        ),
        'done',
      )
      return passwords.hash(password)
    }
    await store.insert(mary, { passwordHash: imported }, serviceActor())
    await memberSignIn(db, { ...passwords, waiting: 0, hash }).signIn('mary', 'password')
    assert.equal(await store.passwordHash(mary.memberId), changed)
  })
}
