import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DateOrder, dateOrderOf, encodingOf } from './foreign-files.ts'

const orders: readonly (readonly [readonly string[], DateOrder | 'open' | undefined])[] = [
  [['1990-04-01', '1.4.1990', ''], undefined],
  [['01/04/1990', '13/04/1990'], 'dmy'],
  [['01/04/1990', '04/13/1990'], 'mdy'],
  [['01/04/1990'], 'open'],
  [['13/04/1990', '04/13/1990'], 'open'],
]
for (const [texts, order] of orders)
  test(`the order of day and month is recognised if one of the dates shows it: ${texts.join(' ')}`, () => {
    assert.equal(dateOrderOf(texts), order)
  })

const bytesOf = (...bytes: readonly number[]) => Uint8Array.from(bytes)
const encoded = [
  [bytesOf(...Buffer.from('\ufeff姓,名')), 'utf-8', '姓,名'],
  [bytesOf(...Buffer.from('\ufeff姓,名', 'utf16le')), 'utf-16le', '姓,名'],
  [bytesOf(...Buffer.from('\ufeff姓,名', 'utf16le').swap16()), 'utf-16be', '姓,名'],
  [bytesOf(0x90, 0xa9, 0x2c, 0x96, 0xbc), 'shift_jis', '姓,名'],
  [bytesOf(...Buffer.from('Andr\xe9,M\xfcller', 'latin1')), 'windows-1252', 'André,Müller'],
  [bytesOf(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d), undefined, ''],
] as const
for (const [bytes, encoding, text] of encoded)
  test(`the encoding of the bytes is recognised: ${encoding ?? 'none, because they are no text'}`, () => {
    assert.equal(encodingOf(bytes), encoding)
    if (encoding) assert.equal(new TextDecoder(encoding).decode(bytes), text)
  })
