import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isXmlText } from '#core/formats.ts'
import { Problem } from '#core/problem.ts'
import { writeXml } from '#http/message/representation/xml-write.ts'
import { parseXml } from './xml-read.ts'

const text = { type: 'string' }
const schema = {
  type: 'object',
  xml: { name: 'thing' },
  properties: {
    name: text,
    note: { type: ['string', 'null'] },
    isOpen: { type: 'boolean' },
    count: { type: 'integer' },
    owner: { type: ['object', 'null'], properties: { name: text, note: { type: ['string', 'null'] } } },
    links: { type: 'array', items: { type: 'object', xml: { name: 'link' }, properties: { rel: text } } },
    names: { type: 'array', items: text },
    ignored: {},
  },
}
const read = (document: string) => parseXml(document, schema)
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

const readable: [name: string, document: string, value: unknown][] = [
  ['a field', '<thing><name>a</name></thing>', { name: 'a' }],
  ['a declaration', '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<thing/>\n', {}],
  ['comments', '<!-- a --><thing><!-- b --><name>a<!-- c -->b</name></thing><!-- d -->', { name: 'ab' }],
  [
    'indentation',
    '<thing>\n  <name>a</name>\n\t<owner>\r\n<name>b</name></owner>\n</thing>',
    { name: 'a', owner: { name: 'b' } },
  ],
  ['an empty element', '<thing><name/><note></note></thing>', { name: '', note: '' }],
  ['an empty object', '<thing><owner> </owner></thing>', { owner: {} }],
  ['blank text', '<thing><name> \n</name></thing>', { name: ' \n' }],
  [
    'null',
    `<thing ${xsi}><note xsi:nil="true"/><owner xsi:nil="1"></owner></thing>`,
    { note: null, owner: null },
  ],
  [
    'null with another prefix',
    `<thing><note xmlns:i="${xsi.slice(11, -1)}" i:nil="true"/></thing>`,
    { note: null },
  ],
  [
    'xsi:nil set to false',
    `<thing ${xsi}><note xsi:nil="false"/><name xsi:nil="0">a</name></thing>`,
    { note: '', name: 'a' },
  ],
  ['a document that is null', `<thing ${xsi} xsi:nil="true"/>`, null],
  ['booleans', '<thing><isOpen>true</isOpen></thing>', { isOpen: true }],
  ['numbers', '<thing><count>-12</count></thing>', { count: -12 }],
  [
    'text that is not a number',
    '<thing><count>0x1</count><name>1</name></thing>',
    { count: '0x1', name: '1' },
  ],
  ['a number out of range', '<thing><count>1e999</count></thing>', { count: '1e999' }],
  ['a list', '<thing><links><link><rel>a</rel></link><link/></links></thing>', { links: [{ rel: 'a' }, {}] }],
  ['a list of unnamed items', '<thing><names><item>a</item><item/></names></thing>', { names: ['a', ''] }],
  ['text in place of an object', '<thing><owner>a</owner></thing>', { owner: 'a' }],
  ['an object in place of text', '<thing><name><b>a</b></name></thing>', { name: { b: 'a' } }],
  ['an unknown field', '<thing><nmae>a</nmae></thing>', { nmae: 'a' }],
  [
    'an unknown field in another namespace',
    `<thing ${xsi}><xsi:name>a</xsi:name></thing>`,
    { 'xsi:name': 'a' },
  ],
  [
    'an ignored field',
    '<thing><ignored><a>1</a><a>2</a><a>3</a><b/></ignored></thing>',
    { ignored: { a: ['1', '2', '3'], b: '' } },
  ],
  ['the five entities', '<thing><name>&lt;&amp;&gt;&quot;&apos;</name></thing>', { name: '<&>"\'' }],
  ['character references', '<thing><name>&#x1F600;&#12363;&#13;</name></thing>', { name: '😀か\r' }],
  ['a CDATA section', '<thing><name>a<![CDATA[<b>&amp;</b>]]></name></thing>', { name: 'a<b>&amp;</b>' }],
  ['line ends', '<thing><name>a\r\nb\rc</name></thing>', { name: 'a\nb\nc' }],
]

for (const [name, document, value] of readable) {
  test(`the reader accepts ${name}`, () => assert.deepEqual(read(document), value))
}

test('__proto__ is a name like any other', () => {
  const value = Object(read('<thing><__proto__><isOpen>true</isOpen></__proto__></thing>'))
  assert.deepEqual(Object.keys(value), ['__proto__'])
  assert.equal(value.isOpen, undefined)
})

const refusal = (document: string) => {
  try {
    read(document)
  } catch (error) {
    assert.ok(error instanceof Problem && error.kind === 'bodyUnreadable', String(error))
    return error.withCodes.details[0]
  }
  return assert.fail(`was read: ${document.slice(0, 80)}`)
}

const billionLaughs = '<!DOCTYPE thing [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><thing><name>&b;</name></thing>'

const refused: [code: string, document: string][] = [
  ['EmptyBody', ''],
  ['EmptyBody', ' \r\n'],
  ['Doctype', '<!DOCTYPE thing><thing/>'],
  ['Doctype', billionLaughs],
  ['Doctype', '<thing><!DOCTYPE thing></thing>'],
  ['ProcessingInstruction', '<?xml-stylesheet href="a"?><thing/>'],
  ['ProcessingInstruction', '<thing><?php echo ?></thing>'],
  ['Encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><thing/>'],
  ['Entity', '<thing><name>&toString;</name></thing>'],
  ['Entity', '<thing><name>&#0;</name></thing>'],
  ['Entity', '<thing><name>&#xD83D;&#xDE00;</name></thing>'],
  ['Entity', '<thing><name>&#x110000;</name></thing>'],
  ['Attribute', '<thing id="1"/>'],
  ['Attribute', '<thing xsi:nil="true"/>'],
  ['Attribute', `<thing ${xsi} xsi:nil="yes"/>`],
  ['Attribute', `<thing ${xsi} xsi:type="a"/>`],
  ['Attribute', '<thing xmlns="http://example.com/"/>'],
  ['Attribute', `<thing xmlns="${xsi.slice(11, -1)}"/>`],
  ['Attribute', '<thing xmlns:a="http://example.com/"/>'],
  ['Attribute', '<a:thing/>'],
  ['WrongRoot', '<member/>'],
  ['MixedContent', '<thing>a<name>b</name></thing>'],
  ['MixedContent', '<thing><name>a<b/></name></thing>'],
  ['DuplicateName', '<thing><name>a</name><note/><name>b</name></thing>'],
  ['UnknownField', '<thing><links><lnik/></links></thing>'],
  ['TrailingData', '<thing/><thing/>'],
  ['TrailingData', '<thing/>a'],
  ['TrailingData', '<thing></thing></thing>'],
  ['NullCharacter', '<thing><name>\u0000</name></thing>'],
  ['LoneSurrogate', '<thing><name>\ud800a</name></thing>'],
  ['Syntax', '<thing><name>\u0001</name></thing>'],
  ['Syntax', '<?xml version="1.1"?><thing><name>\u0001</name></thing>'],
  ['Syntax', `<thing ${xsi} xsi:nil="true"><name/></thing>`],
  ['Syntax', `<thing ${xsi} xsi:nil="true">a</thing>`],
  ['Syntax', `<thing ${xsi} xsi:nil="true" xsi:nil="true"/>`],
  ['Syntax', '{}'],
  ['Syntax', '<thing>'],
  ['Syntax', '<thing'],
  ['Syntax', '<thing><name></thing>'],
  ['Syntax', '<thing><name>]]></name></thing>'],
  ['Syntax', '<thing><name>a & b</name></thing>'],
  ['Syntax', ' <?xml version="1.0"?><thing/>'],
  ['Syntax', '<!-- a -- b --><thing/>'],
  ['Syntax', '<thing><![CDATA[</thing>'],
  ['Syntax', '<1/>'],
  ['Syntax', '\ufeff<thing/>'],
]

for (const [code, document] of refused) {
  test(`${JSON.stringify(document.slice(0, 80))} is refused as ${code}`, () => {
    assert.equal(refusal(document)?.code, code)
  })
}

test('a refusal names the line, the column and the field', () => {
  assert.deepEqual(refusal('<thing>\n  <owner><name>😀</name><name/></owner></thing>'), {
    code: 'DuplicateName',
    args: { line: 2, column: 24 },
    target: 'owner.name',
  })
  assert.deepEqual(refusal('<member/>'), {
    code: 'WrongRoot',
    args: { line: 1, column: 1, expected: 'thing' },
  })
  assert.deepEqual(refusal('<thing>\n &x;</thing>'), { code: 'Entity', args: { line: 2, column: 4 } })
})

const places: [document: string, line: number, column: number][] = [
  ['<thing>\n  text\n  <name>a</name>\n\n</thing>', 2, 3],
  ['<thing>\n<name>a</name>\n<!-- a -->\r\n b <note/>\n</thing>', 4, 2],
  ['<thing>\n<name>a</name><![CDATA[b]]>\n</thing>', 2, 15],
  ['<!-- a -->\n<!DOCTYPE thing\n[\n]><thing/>', 2, 1],
  ['<thing>\n  😀<name\n  id="1"\n/></thing>', 2, 4],
  ['<thing>\n  <?php\n echo ?></thing>', 2, 3],
  ['<thing>\n<a:name\n>a</a:name></thing>', 2, 1],
]

for (const [document, line, column] of places) {
  test(`the fault in ${JSON.stringify(document)} is at line ${line}, column ${column}`, () => {
    const args = refusal(document)?.args ?? {}
    assert.deepEqual([args.line, args.column], [line, column])
  })
}

test('a refusal repeats nothing of the document except a name, cut to 64 characters', () => {
  assert.ok(
    !JSON.stringify(refusal('<thing><owner><name>secret</name><name>secret</name></owner></thing>')).includes(
      'secret',
    ),
  )
  assert.equal(
    refusal(`<thing><links><${'a'.repeat(1000)}/></links></thing>`)?.target,
    `links.${'a'.repeat(64)}`,
  )
})

test('131,072 characters are read; one more is refused as TooLong', () => {
  const document = (length: number) => `<thing>${' '.repeat(length - '<thing></thing>'.length)}</thing>`
  assert.deepEqual(read(document(131_072)), {})
  assert.equal(refusal(document(131_073))?.code, 'TooLong')
})

test('more than 1,000 elements or attributes, or 10,000 references and special characters, are refused as TooMany', () => {
  const elements = (count: number) => `<thing>${'<a/>'.repeat(count - 1)}</thing>`
  const inText = (mark: string, count: number) => `<thing><a>${mark.repeat(count)}</a></thing>`
  assert.ok(read(elements(1_000)))
  assert.equal(refusal(elements(1_001))?.code, 'TooMany')
  const attributes = Array.from({ length: 1_001 }, (_, at) => `a${at}=""`)
  assert.equal(refusal(`<thing ${attributes.join(' ')}/>`)?.code, 'TooMany')
  for (const mark of ['&amp;', '- ', ']']) {
    assert.ok(read(inText(mark, 10_000)))
    assert.equal(refusal(inText(mark, 10_001))?.code, 'TooMany')
  }
  assert.equal(refusal(`<thing><!--${'- '.repeat(20_000)}--></thing>`)?.code, 'TooMany')
})

test('32 levels of nesting are read; 33 are refused as TooDeep', () => {
  const nested = (levels: number) => `<thing>${'<a>'.repeat(levels - 1)}${'</a>'.repeat(levels - 1)}</thing>`
  assert.ok(read(nested(32)))
  assert.equal(refusal(nested(33))?.code, 'TooDeep')
  assert.equal(refusal('<thing>'.repeat(10_000))?.code, 'TooDeep')
})

test('a mebibyte of repeated markup is refused', () => {
  assert.ok(refusal(`<thing><ignored>${'<a/>'.repeat(1 << 18)}</ignored></thing>`))
  for (const part of ['<', '&', '<!--', ']]', '&lt;', '<a ', 'a="" ', '<![CDATA[', '<!DOCTYPE']) {
    assert.ok(refusal(`<thing>${part.repeat(1 << 17)}`))
    assert.ok(refusal(part.repeat(1 << 17)))
  }
})

test('every storable value is read back as it was written', () => {
  const carried = fc.string({ unit: 'binary' }).filter(isXmlText)
  const sharp = fc
    .array(fc.constantFrom(...`&<>"'\r\n\t ]a`, 'xsi:nil="true"'))
    .map((parts) => parts.join(''))
  const texts = fc.oneof(carried, sharp)
  const nullable = fc.option(texts)
  const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(fields, { requiredKeys: [], noNullPrototype: true })
  const thing = record({
    name: texts,
    note: nullable,
    isOpen: fc.boolean(),
    count: fc.integer(),
    owner: fc.option(record({ name: texts, note: nullable })),
    links: fc.array(record({ rel: texts })),
    names: fc.array(texts),
  })
  fc.assert(
    fc.property(thing, (value) => assert.deepEqual(read(writeXml('thing', value, schema)), value)),
    { numRuns: 500 },
  )
})
