import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordHasher } from './password.ts'
import { canBeImported, isHash } from './password-hash.ts'
import { Problem } from './problem.ts'

const passwords = passwordHasher()

test('a hash is a PHC string with the default costs, and verifies only its own password', async () => {
  const phc = await passwords.hash('correct horse')
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await passwords.verify(phc, 'correct horse'), true)
  assert.equal(await passwords.verify(phc, 'correct horse '), false)
})

test('hashing a password twice gives different hashes', async () => {
  assert.notEqual(await passwords.hash('correct horse'), await passwords.hash('correct horse'))
})

test('the 128th character of a password counts', async () => {
  const long = '長'.repeat(127)
  const phc = await passwords.hash(`${long}1`)
  assert.equal(await passwords.verify(phc, `${long}1`), true)
  assert.equal(await passwords.verify(phc, `${long}2`), false)
})

test('a password matches whether its accents are precomposed or combining', async () => {
  assert.equal(await passwords.verify(await passwords.hash('caf\u00e9 au lait'), 'cafe\u0301 au lait'), true)
})

/** From the reference implementation, `argon2 -id`, with the password `password` and the salt `somesalt`. */
const imported = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'

test('a hash that another program made with other costs is verified', async () => {
  assert.ok(isHash(imported))
  assert.equal(await passwords.verify(imported, 'password'), true)
  assert.equal(await passwords.verify(imported, 'Password'), false)
})

/** Hashes of `pässword demo`, from Python's hashlib, and for bcrypt from the C library's crypt. */
const foreign = [
  '$pbkdf2-sha256$29000$c2l4dGVlbiBieXRlcyEhIQ$/kjUeOtQh6jemoainmoI1WnA6tTVmXVi24VUBmm31J0',
  '$pbkdf2-sha512$i=210000,l=64$c2l4dGVlbiBieXRlcyEhIQ$nmMr2mBnhRnLK4+BoFq8EV3Ve0NIFwFLAxaG1W/4vbMr0G74QHnW4gbqWcRp3BLk4ksSUHTORyuWxRKEJJVkDw',
  '$pbkdf2$131000$c2l4dGVlbiBieXRlcyEhIQ$kLVl0Esr1YW3O72.lEmIrLfKyYo',
  '$scrypt$ln=14,r=8,p=1$c2l4dGVlbiBieXRlcyEhIQ$A2z5aDeRI1TqObICCkXvDuwJ3fkUTO0OhCHe2SdTR+c',
  '$2b$10$abcdefghijklmnopqrstuuYL44tCEuS7PsgHGqy111JSCMUikX/vO',
  '$2y$10$abcdefghijklmnopqrstuuYL44tCEuS7PsgHGqy111JSCMUikX/vO',
]

test("another program's hash can be imported and checked, and is not mistaken for ours", async () => {
  for (const hash of foreign) {
    assert.ok(isHash(hash) && canBeImported(hash) && !passwords.hasCurrentCosts(hash), hash)
    assert.equal(await passwords.verify(hash, 'p\u00e4ssword demo'), true, hash)
    assert.equal(await passwords.verify(hash, 'password demo'), false, hash)
  }
})

test('a hash may be imported if it costs at most twice as much as one of the service', async () => {
  const hashOf = (costs: string) => `$argon2id$v=19$${costs}$${salt}$${tag}`
  assert.ok(passwords.hasCurrentCosts(await passwords.hash('password')))
  for (const costs of ['m=38912,t=2,p=1', 'm=77824,t=1,p=1', 'm=19456,t=3,p=1', 'm=19456,t=2,p=2']) {
    assert.ok(canBeImported(hashOf(costs)), costs)
    assert.ok(!passwords.hasCurrentCosts(hashOf(costs)), costs)
  }
  for (const costs of ['m=38913,t=2,p=1', 'm=65536,t=2,p=1', 'm=262144,t=2,p=1'])
    assert.ok(!canBeImported(hashOf(costs)), costs)
  assert.ok(!canBeImported('password'))
})

const salt = 'c29tZXNhbHQ'
const tag = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
const unusableHashes = [
  '',
  'password',
  `$argon2i$v=19$m=19456,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${tag}`,
  `$argon2id$m=19456,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=7,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=64,t=2,p=9$${salt}$${tag}`,
  `$argon2id$v=19$m=262145,t=1,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=262144,t=4,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=11,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=17$${salt}$${tag}`,
  `$argon2id$v=19$m=019456,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}=$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$c2hvcnQ`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag.slice(0, -1)}d`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}\n`,
  '$2b$13$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhW',
  '$2x$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  `$pbkdf2-sha256$1500001$${salt}$${tag}`,
  `$pbkdf2-md5$600000$${salt}$${tag}`,
  `$scrypt$ln=18,r=8,p=1$${salt}$${tag}`,
  `$scrypt$ln=17,r=8,p=2$${salt}$${tag}`,
]

test('a hash of an unknown kind, a too expensive one and a truncated one are refused', async () => {
  for (const text of unusableHashes) assert.ok(!isHash(text), text)
  await assert.rejects(passwords.verify('x', 'password'), /not one that can be checked/)
})

test('a hash beyond the queue limit is refused as overload, and the others run in order', async () => {
  const narrow = passwordHasher({ concurrency: 1, queueLimit: 2 })
  const ended: string[] = []
  const first = narrow.hash('first').then(() => ended.push('first'))
  const second = narrow.simulateVerify('second').then(() => ended.push('second'))
  const third = narrow.hash('third').then(() => ended.push('third'))
  assert.equal(narrow.waiting, 2)
  await assert.rejects(
    narrow.hash('fourth'),
    (error) => error instanceof Problem && error.kind === 'overloaded',
  )
  await Promise.all([first, second, third])
  assert.deepEqual(ended, ['first', 'second', 'third'])
  assert.equal(narrow.waiting, 0)
})
