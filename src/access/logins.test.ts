import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logins, type VerifiedLogin } from './logins.ts'
import { memberPrincipal } from './principals.ts'

const mary = memberPrincipal('m1')

const clockAt = (instant: number) => {
  const clock = { instant, now: () => clock.instant }
  return clock
}

const unexpected = () => Promise.reject(new Error('no check was expected'))

test('a correct credential is remembered for a minute, a wrong one not at all', async () => {
  const clock = clockAt(1_000_000)
  const known = logins(clock)
  assert.equal(known.find('right'), undefined)
  assert.equal(await known.check('right', 'here', async () => ({ principal: mary })), mary)
  assert.equal(await known.check('wrong', 'here', async () => undefined), undefined)
  clock.instant += 59_999
  assert.equal(known.find('right'), mary)
  assert.equal(known.find('wrong'), undefined)
  clock.instant += 1
  assert.equal(known.find('right'), undefined)
})

test('a login is forgotten if the clock is set back', async () => {
  const clock = clockAt(1_000_000)
  const known = logins(clock)
  await known.check('right', 'here', async () => ({ principal: mary }))
  clock.instant -= 1
  assert.equal(known.find('right'), undefined)
})

test('forget() drops every login of one member and no other; forgetAll() drops the rest', async () => {
  const known = logins(clockAt(0))
  const john = memberPrincipal('m2')
  await known.check('one', 'here', async () => ({ principal: mary }))
  await known.check('two', 'here', async () => ({ principal: mary }))
  await known.check('three', 'here', async () => ({ principal: john }))
  known.forget(mary.name)
  assert.deepEqual(
    ['one', 'two', 'three'].map((credential) => known.find(credential)),
    [undefined, undefined, john],
  )
  known.forgetAll()
  assert.equal(known.find('three'), undefined)
})

test('a credential whose member is forgotten during its check is checked again', async () => {
  const known = logins(clockAt(0))
  const answers: (VerifiedLogin | undefined)[] = [{ principal: mary }, undefined]
  const check = async () => {
    const answer = answers.shift()
    if (answer) known.forget(mary.name)
    return answer
  }
  assert.equal(await known.check('old', 'here', check), undefined)
  assert.equal(known.find('old'), undefined)
  assert.deepEqual(answers, [])
})

test('simultaneous requests with one credential share one check', async () => {
  const known = logins(clockAt(0))
  let checks = 0
  const check = async () => {
    checks++
    return { principal: mary }
  }
  const checksUnderWay = [known.check('right', 'here', check), known.check('right', 'here', unexpected)]
  assert.deepEqual(await Promise.all(checksUnderWay), [mary, mary])
  assert.equal(checks, 1)
})

test('no more than ten thousand logins are remembered; the oldest goes first', async () => {
  const known = logins(clockAt(0))
  for (let member = 0; member <= 10_000; member++) {
    await known.check(`credential ${member}`, 'here', async () => ({
      principal: memberPrincipal(`m${member}`),
    }))
  }
  assert.equal(known.find('credential 0'), undefined)
  assert.equal(known.find('credential 1')?.id, 'm1')
  assert.equal(known.find('credential 10000')?.id, 'm10000')
})

test('finding a login in its last 15 seconds triggers exactly one renewal', async () => {
  const clock = clockAt(0)
  const known = logins(clock)
  let renewals = 0
  const renew = () => {
    renewals++
  }
  await known.check('right', 'here', async () => ({ principal: mary }))
  clock.instant = 44_999
  known.find('right', renew)
  assert.equal(renewals, 0)
  clock.instant = 45_000
  assert.equal(known.find('right', renew), mary)
  assert.equal(known.find('right', renew), mary)
  assert.equal(renewals, 1)
  await known.check('right', 'renewal', async () => ({ principal: mary }))
  clock.instant = 104_999
  assert.equal(known.find('right', renew), mary)
  assert.equal(renewals, 2)
})

test('a login in another spelling is found as long as its credential is remembered, except when the credential is due for renewal', async () => {
  const clock = clockAt(0)
  const known = logins(clock)
  const asSpelled = (spelling: string) => {
    known.addHeader('right', spelling)
    return known.findByHeader(spelling)
  }
  assert.equal(asSpelled('RIGHT'), undefined)
  await known.check('right', 'here', async () => ({ principal: mary }))
  assert.equal(asSpelled('RIGHT'), mary)
  assert.equal(known.findByHeader('Right'), undefined)
  clock.instant = 45_000
  assert.equal(known.findByHeader('RIGHT'), undefined, 'due for renewal')
  known.find('right', () => undefined)
  assert.equal(known.findByHeader('RIGHT'), mary)
  clock.instant = 60_000
  assert.equal(known.findByHeader('RIGHT'), undefined, 'too old')
})

test('a credential keeps at most four spellings, which are forgotten with its principal', async () => {
  const known = logins(clockAt(0))
  await known.check('right', 'here', async () => ({ principal: mary }))
  const spellings = Array.from({ length: 100 }, (_, blanks) => `right${' '.repeat(blanks + 1)}`)
  for (const spelling of spellings) known.addHeader('right', spelling)
  assert.equal(spellings.filter((spelling) => known.findByHeader(spelling) === mary).length, 4)
  known.forget(mary.name)
  assert.deepEqual(
    spellings.filter((spelling) => known.findByHeader(spelling)),
    [],
  )
})
