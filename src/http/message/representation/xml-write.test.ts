import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeXml, xmlElement } from './xml-write.ts'

const text = { type: 'string' }
const schema = {
  type: 'object',
  properties: {
    name: text,
    isOpen: { type: 'boolean' },
    count: { type: 'integer' },
    note: { type: ['string', 'null'] },
    owner: { type: 'object', properties: { name: text } },
    links: { type: 'array', items: { type: 'object', xml: { name: 'link' }, properties: { rel: text } } },
  },
}
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

test('a document holds its fields in schema order, below the root element', () => {
  const value = {
    links: [{ rel: 'self' }, { rel: 'next' }],
    name: 'a',
    isOpen: false,
    count: 3,
    note: 'b',
    owner: { name: 'c' },
  }
  assert.equal(
    writeXml('thing', value, schema),
    `<?xml version="1.0" encoding="UTF-8"?>\n<thing ${xsi}><name>a</name><isOpen>false</isOpen><count>3</count>` +
      '<note>b</note><owner><name>c</name></owner><links><link><rel>self</rel></link><link><rel>next</rel></link></links></thing>',
  )
})

test('null, the empty string and an absent field are written differently', () => {
  assert.equal(
    xmlElement('thing', { name: '', note: null, isOpen: undefined }, schema),
    `<thing ${xsi}><name></name><note xsi:nil="true"/></thing>`,
  )
})

test('the xsi namespace is not declared where nothing can be null', () => {
  assert.equal(xmlElement('name', 'a', text), '<name>a</name>')
  assert.equal(xmlElement('owner', { name: 'a' }, schema.properties.owner), '<owner><name>a</name></owner>')
})

test('a null that the schema does not allow is still well-formed', () => {
  assert.equal(xmlElement('name', null, text), `<name ${xsi} xsi:nil="true"/>`)
  assert.equal(
    xmlElement('owner', { name: null }, schema.properties.owner),
    `<owner><name ${xsi} xsi:nil="true"/></owner>`,
  )
})

test('fields that the schema does not name are not written', () => {
  assert.equal(
    xmlElement('owner', { name: 'a', password: 'b' }, schema.properties.owner),
    '<owner><name>a</name></owner>',
  )
})

test('a list item without a name in the schema is called item', () => {
  assert.equal(
    xmlElement('names', ['a', 'b'], { type: 'array', items: text }),
    '<names><item>a</item><item>b</item></names>',
  )
  assert.equal(xmlElement('names', [], { type: 'array', items: text }), '<names></names>')
})

const escaped: [text: string, written: string][] = [
  [`<a href="x">'&'</a>`, '&lt;a href=&quot;x&quot;&gt;&apos;&amp;&apos;&lt;/a&gt;'],
  [']]>', ']]&gt;'],
  ['a\rb\r\nc\td\n', 'a&#13;b&#13;\nc\td\n'],
  ['&amp;', '&amp;amp;'],
  ['😀 かな \u0085\u2028', '😀 かな \u0085\u2028'],
  ['a\u0000b\u001bc\ud800d\uffff', 'a\ufffdb\ufffdc\ufffdd\ufffd'],
]

for (const [given, written] of escaped) {
  test(`${JSON.stringify(given)} is written as ${JSON.stringify(written)}`, () => {
    assert.equal(xmlElement('a', given, text), `<a>${written}</a>`)
  })
}
