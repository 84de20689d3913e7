import { gzipSync } from 'node:zlib'
import type { Random } from '#lab/random.ts'
import { anyString, anyValue, names, secret } from './materials.ts'

type Fields = Record<string, unknown>

export interface FuzzBody {
  readonly bytes: Buffer
  readonly type: string
}

/** A body that starts out valid and is then corrupted in some ways. */
export const anyBody = (random: Random, route: string, method: string): FuzzBody => {
  const [root, good] = goodBody(random, route, method)
  let fields: unknown = good
  for (let i = random.int(4); i > 0; i -= 1) fields = corrupted(random, fields)
  const inXml = method !== 'PATCH' && random.chance(3)
  const text = inXml ? xmlText(random, root, fields) : jsonText(random, fields)
  const type = inXml
    ? 'application/xml'
    : method === 'PATCH'
      ? 'application/merge-patch+json'
      : 'application/json'
  const bytes = random.chance(6) ? brokenBytes(random, Buffer.from(text)) : Buffer.from(text)
  return { bytes, type }
}

export const gzipOrBroken = (random: Random, bytes: Buffer): Buffer => {
  if (random.chance(8)) return gzipSync(Buffer.alloc(3 * 1024 * 1024, ' '))
  const whole = gzipSync(bytes)
  return random.chance(4) ? brokenBytes(random, whole) : whole
}

const goodBody = (random: Random, route: string, method: string): [root: string, fields: Fields] => {
  if (route.startsWith('/todos'))
    return [
      'todo',
      { todoTitle: `t${random.int(1000)}`, ...(random.chance(3) ? { finished: random.chance(2) } : {}) },
    ]
  if (route.endsWith('/credential'))
    return [
      'credential',
      { ...credential(random), ...(random.chance(2) ? { currentPassword: `${secret}-own` } : {}) },
    ]
  const profile = {
    firstName: 'John',
    lastName: 'Smith',
    genderCode: '1',
    dateOfBirth: '1990-04-01',
    emailAddress: `fuzz${random.int(1e9)}@example.com`,
    telephoneNumber: random.chance(3) ? null : '1',
    zipCode: '',
    address: 'Tokyo',
  }
  if (method === 'POST') return ['member', { ...profile, credential: credential(random) }]
  if (method === 'PATCH')
    return ['member', Object.fromEntries(Object.entries(profile).filter(() => random.chance(3)))]
  return ['member', profile]
}

/** Hashing is expensive, so only a few passwords are valid. */
const credential = (random: Random): Fields => ({
  password: random.chance(6) ? `${secret}-${random.int(100)}` : secret.slice(0, 7),
  ...(random.chance(2) ? { signId: random.chance(4) ? anyString(random) : `fuzz${random.int(1e9)}` } : {}),
})

const corrupted = (random: Random, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return anyValue(random)
  const fields = { ...(value as Fields) }
  const name = random.pick([...Object.keys(fields), random.pick(names)])
  switch (random.int(7)) {
    case 0:
      delete fields[name]
      return fields
    case 1:
      return define(fields, name, anyValue(random))
    case 2:
      return define(fields, name, anyString(random))
    case 3:
      return define(fields, random.pick(names), anyValue(random))
    case 4:
      return define(fields, name, corrupted(random, fields[name]))
    case 5:
      return define(fields, name, nested(random, fields[name]))
    default:
      return random.chance(8) ? anyValue(random) : fields
  }
}

/** Defines an own property, even if its name is __proto__. */
const define = (fields: Fields, name: string, value: unknown): Fields =>
  Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })

const nested = (random: Random, value: unknown): unknown => {
  let deep = value
  for (let i = random.pick([1, 2, 30, 33, 200]); i > 0; i -= 1) deep = random.chance(2) ? [deep] : { a: deep }
  return deep
}

const jsonText = (random: Random, value: unknown): string => {
  const text = JSON.stringify(value, undefined, random.chance(4) ? 2 : 0) ?? ''
  switch (random.int(14)) {
    case 0:
      return `\ufeff${text}`
    case 1:
      return `${text}${random.pick([' ', ',', '}', '{}', '\0', 'x', '//c'])}`
    case 2:
      return text.replace('{', `{"${random.pick(names)}":1,`)
    case 3:
      return text.replace('{', `{${text.slice(1, -1)},`)
    case 4:
      return text.replaceAll('"', random.pick(['"', "'", '\\"', '""']))
    case 5:
      return text.replace(
        /:"[^"]*"/,
        `:${random.pick(['"\\u0000"', '"\\ud800"', '"\\x"', '01', '1e9999', '-', 'NaN', '"\n"', '.5', '[', 'tru'])}`,
      )
    case 6:
      return random.pick(['[', '{"a":', '[[],']).repeat(random.pick([10, 40, 20_000]))
    default:
      return text
  }
}

const xmlText = (random: Random, root: string, value: unknown): string => {
  const nil = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
  const text = `<${root} ${nil}>${xmlContent(value)}</${root}>`
  switch (random.int(14)) {
    case 0:
      return `<?xml version="1.0" encoding="${random.pick(['UTF-8', 'UTF-16', 'x'])}"?>${text}`
    case 1:
      return `<!DOCTYPE ${root} [<!ENTITY a "${'x'.repeat(random.int(50))}">]>${text}`
    case 2:
      return text.replace(
        '>',
        `>${random.pick(['<?pi x?>', '<!--c-->', '<![CDATA[x]]>', '&a;', '&#0;', '&#xD800;', 'text', '\0'])}`,
      )
    case 3:
      return text.replace('>', ` ${random.pick(names)}="${random.pick(['', 'x', '<', '&'])}">`)
    case 4:
      return text.replaceAll(root, random.pick(['task', 'x:y', 'a b', '', '1', 'todo', 'member']))
    case 5:
      return '<a>'.repeat(random.pick([10, 40, 20_000]))
    case 6:
      return text.replace('</', random.pick(['<', '/>', '</x><', ' </']))
    default:
      return text
  }
}

const xmlContent = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((one) => `<item>${xmlContent(one)}</item>`).join('')
  if (typeof value !== 'object' || value === null)
    return String(value).replace(/[&<]/g, (letter) => `&#${letter.codePointAt(0)};`)
  return Object.entries(value)
    .map(([name, one]) =>
      one === null ? `<${name} xsi:nil="true"/>` : `<${name}>${xmlContent(one)}</${name}>`,
    )
    .join('')
}

const brokenBytes = (random: Random, bytes: Buffer): Buffer => {
  const at = random.int(bytes.length + 1)
  switch (random.int(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.int(4)), bytes.subarray(at)])
    case 2: {
      const changed = Buffer.from(bytes)
      for (let i = 1 + random.int(3); i > 0 && changed.length > 0; i -= 1)
        changed[random.int(changed.length)] = random.int(256)
      return changed
    }
    case 3:
      return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)])
    default:
      return random.bytes(random.int(200))
  }
}
