import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { without } from '../../test/people.ts'
import { createMember } from '../../test/scenarios/creating.ts'
import { type Body, body, prepare, service, xmlBody } from '../../test/scenarios/table.ts'
import { asXml, meaning, readXml, writeXml } from '../../test/scenarios/xml.ts'

const app = service()
let member = ''
prepare(async () => {
  member = `/members/${(await createMember(app())).memberId}`
})

/** SEED=… repeats a run, and every failure prints its seed; RUNS=… asks for more. */
const runs = {
  numRuns: Number(process.env.RUNS ?? 10),
  seed: Number(process.env.SEED ?? 20261121),
  includeErrorInReport: true,
}

/** Code points that XML 1.0 can carry, weighted towards the awkward ones. */
const letter = fc.oneof(
  fc.constantFrom(...'<>&"\'\t\n\r %_\\/]{}ß\u0130\u212a\u00a0\u2028\u200f\u0301\ufeff\u0085\u007f\ufffd'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter(isXmlChar),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
)
const words = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(letter, { minLength, maxLength, size: 'max' }).map((letters) => letters.join(''))

const email = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9]{1,20}$/), fc.stringMatching(/^[a-z0-9]{1,20}$/))
  .map(([local, host]) => `${local}@${host}.example.com`)
const birth = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2020-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const profiles = fc.record(
  {
    firstName: words(1, 128),
    lastName: words(1, 128),
    genderCode: fc.constantFrom('0', '1', '2'),
    dateOfBirth: birth,
    emailAddress: email,
    telephoneNumber: fc.option(words(0, 20)),
    zipCode: fc.option(words(0, 20)),
    address: fc.option(words(0, 256)),
  },
  { noNullPrototype: true },
)

function isXmlChar(text: string): boolean {
  const point = text.codePointAt(0) ?? 0
  if (point < 0x20) return point === 9 || point === 10 || point === 13
  return !(point >= 0xd800 && point <= 0xdfff) && point !== 0xfffe && point !== 0xffff
}

/** Asserts that a member reads back the same as JSON and as XML, in whichever form it was sent. */
const expectRoundTrip = async (sent: Body, type: 'json' | 'xml'): Promise<void> => {
  const answer =
    type === 'json'
      ? await app()(`PUT ${member}`, sent)
      : await app()(`PUT ${member}`, writeXml('member', sent), xmlBody)
  assert.equal(answer.status, 200, answer.text)
  const shown = body(await app()(`GET ${member}`))
  assert.deepEqual(without(shown, 'memberId', 'credential', 'createdAt', 'lastModifiedAt'), sent)
  const xml = await app()(`GET ${member}.xml`)
  assert.deepEqual(meaning(readXml(xml.text)), asXml(shown))
}

for (const type of ['json', 'xml'] as const) {
  test(`a member sent as ${type} reads back the same as JSON and as XML`, async () => {
    await fc.assert(
      fc.asyncProperty(profiles, (sent) => expectRoundTrip(sent, type)),
      runs,
    )
  })
}

test('PUT of the representation that GET returned changes only lastModifiedAt', async () => {
  const property = fc.asyncProperty(profiles, fc.boolean(), async (sent, inXml) => {
    assert.equal((await app()(`PUT ${member}`, sent)).status, 200)
    const before = body(await app()(`GET ${member}`))
    const text = (await app()(`GET ${member}.xml`)).text
    const answer = inXml ? await app()(`PUT ${member}`, text, xmlBody) : await app()(`PUT ${member}`, before)
    assert.equal(answer.status, 200, answer.text)
    const after = body(await app()(`GET ${member}`))
    assert.deepEqual(without(after, 'lastModifiedAt'), without(before, 'lastModifiedAt'))
    assert.ok(String(after.lastModifiedAt) > String(before.lastModifiedAt))
  })
  await fc.assert(property, runs)
})
