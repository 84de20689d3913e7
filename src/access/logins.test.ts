import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Known, logins } from './logins.ts'
import { memberPrincipal } from './principals.ts'

const mary = memberPrincipal('m1')

const clockAt = (instant: number) => {
  const clock = { instant, now: () => clock.instant }
  return clock
}

const never = () => Promise.reject(new Error('nobody asked for a check'))

test('a right credential is remembered for a minute, and no other one', async () => {
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

test('a clock that runs back makes no login last longer', async () => {
  const clock = clockAt(1_000_000)
  const known = logins(clock)
  await known.check('right', 'here', async () => ({ principal: mary }))
  clock.instant -= 1
  assert.equal(known.find('right'), undefined)
})

test('every login of a member that is forgotten is gone, and no other', async () => {
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

test('a credential that dies while it is checked is checked again', async () => {
  const known = logins(clockAt(0))
  const answers: (Known | undefined)[] = [{ principal: mary }, undefined]
  const check = async () => {
    const answer = answers.shift()
    if (answer) known.forget(mary.name)
    return answer
  }
  assert.equal(await known.check('old', 'here', check), undefined)
  assert.equal(known.find('old'), undefined)
  assert.deepEqual(answers, [])
})

test('a credential that is checked while all are forgotten is checked again', async () => {
  const known = logins(clockAt(0))
  const answers: (Known | undefined)[] = [{ principal: mary }, undefined]
  const check = async () => {
    const answer = answers.shift()
    if (answer) known.forgetAll()
    return answer
  }
  assert.equal(await known.check('old', 'here', check), undefined)
  assert.equal(known.find('old'), undefined)
  assert.deepEqual(answers, [])
})

test('one check answers all who bring a credential meanwhile', async () => {
  const known = logins(clockAt(0))
  let checks = 0
  const check = async () => {
    checks++
    return { principal: mary }
  }
  const asked = [known.check('right', 'here', check), known.check('right', 'here', never)]
  assert.deepEqual(await Promise.all(asked), [mary, mary])
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
  assert.equal(known.find('credential 1')?.memberId, 'm1')
  assert.equal(known.find('credential 10000')?.memberId, 'm10000')
})

test('a token is remembered no longer than it is good', async () => {
  const clock = clockAt(1_000)
  const known = logins(clock)
  await known.check('token', 'here', async () => ({ principal: mary, until: 1_500 }))
  assert.equal(known.find('token'), mary)
  clock.instant = 1_500
  assert.equal(known.find('token'), undefined)
})

test('a login that will soon be forgotten is asked for once more, and once only', async () => {
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

test('a spelling that was met is known again as long as its credential, but not where that must be renewed', async () => {
  const clock = clockAt(0)
  const known = logins(clock)
  const asSpelled = (spelling: string) => {
    known.spell('right', spelling)
    return known.findSpelled(spelling)
  }
  assert.equal(asSpelled('RIGHT'), undefined)
  await known.check('right', 'here', async () => ({ principal: mary }))
  assert.equal(asSpelled('RIGHT'), mary)
  assert.equal(known.findSpelled('Right'), undefined)
  clock.instant = 45_000
  assert.equal(known.findSpelled('RIGHT'), undefined, 'to be renewed')
  known.find('right', () => undefined)
  assert.equal(known.findSpelled('RIGHT'), mary)
  clock.instant = 60_000
  assert.equal(known.findSpelled('RIGHT'), undefined, 'too old')
})

test('spellings are forgotten with their principal, and there are few of them', async () => {
  const known = logins(clockAt(0))
  await known.check('right', 'here', async () => ({ principal: mary }))
  const spellings = Array.from({ length: 100 }, (_, blanks) => `right${' '.repeat(blanks + 1)}`)
  for (const spelling of spellings) known.spell('right', spelling)
  assert.equal(spellings.filter((spelling) => known.findSpelled(spelling) === mary).length, 4)
  known.forget(mary.name)
  assert.deepEqual(
    spellings.filter((spelling) => known.findSpelled(spelling)),
    [],
  )
})
