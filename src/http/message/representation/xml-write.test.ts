import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xmlElement } from './xml-write.ts'

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

test('null, the empty string and an absent field are written differently', () => {
  assert.equal(
    xmlElement('thing', { name: '', note: null, isOpen: undefined }, schema),
    `<thing ${xsi}><name></name><note xsi:nil="true"/></thing>`,
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
