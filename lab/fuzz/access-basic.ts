import type { Random } from '#lab/random.ts'
import {
  type Access,
  base64,
  type Caller,
  line,
  type OwnLogin,
  passwordCaller,
  type Standing,
} from './access.ts'
import { secret } from './materials.ts'

const root: OwnLogin = { signId: 'root', password: `${secret}-root` }
const member: OwnLogin = { signId: 'known', password: `${secret}-known` }

/** Callers send sign id and password. Their addresses come from a proxy header, so that only some are throttled. */
export const byPassword = async (): Promise<Access> => ({
  name: 'basic',
  settings: {
    ACCESS: 'basic',
    ADMIN_SIGN_ID: root.signId,
    ADMIN_PASSWORD: root.password,
    TRUST_PROXY: '127.0.0.1',
  },
  secrets: [encoded(root), encoded(member)],
  challenge: /^Basic realm="rollcall", charset="UTF-8"(, Bearer realm="rollcall", error="invalid_token")?$/,
  keeper: passwordCaller('full', root),
  member,
  anyCaller: (random, own) => {
    if (own !== undefined && random.chance(3)) return passwordCaller('perhaps', own)
    if (!random.chance(7)) return passwordCaller('full', root)
    if (random.chance(3)) return passwordCaller('member', member)
    return fromSomeAddress(random, hostile(random))
  },
  close: () => {},
})

const encoded = ({ signId, password }: OwnLogin): string => base64(`${signId}:${password}`)

/** From an address of its own, or from one of a few that fail repeatedly. */
const fromSomeAddress = (random: Random, { standing, lines }: Caller): Caller => {
  const address = random.chance(3)
    ? `10.9.9.${random.int(4)}`
    : `10.${random.int(250)}.${random.int(250)}.${random.int(250)}`
  return { standing, lines: `X-Forwarded-For: ${address}\r\n${lines}` }
}

const hostile = (random: Random): Caller => {
  if (random.chance(4)) return { standing: 'none', lines: '' }
  const [standing, lines] = random.pick(shapes)(random)
  return { standing, lines }
}

type Shape = (random: Random) => readonly [Standing, lines: string]

const credential = (standing: Standing, text: string | Buffer): Shape =>
  header(standing, `Basic ${base64(text)}`)
const header =
  (standing: Standing, value: string): Shape =>
  () => [standing, line(value)]
const rawLines =
  (standing: Standing, lines: string): Shape =>
  () => [standing, lines]

const valid = encoded(root)
const bytes = (...values: number[]): Buffer => Buffer.from(values)

const shapes: readonly Shape[] = [
  // Valid, in other spellings.
  header('full', `basic ${valid}`),
  header('full', `BASIC ${valid}`),
  header('full', `Basic   ${valid}`),
  credential('full', `ROOT:${root.password}`),
  credential('full', `ｒｏｏｔ:${root.password}`),
  rawLines('full', `aUTHORIZATION: Basic ${valid}\r\n`),
  header('perhaps', `Basic ${valid.replace(/=+$/, '')}`),
  header('perhaps', `Basic ${valid}=`),
  rawLines('perhaps', `Authorization: Basic\r\n ${valid}\r\n`),
  // Well-formed but wrong.
  credential('none', `root:${secret}-Root`),
  credential('none', `root:${root.password} `),
  credential('none', `root:${root.password}:`),
  credential('none', `root :${root.password}`),
  credential('none', `nobody:${root.password}`),
  credential('none', `root:`),
  credential('none', `\ufeffroot:${root.password}`),
  credential('none', `known:${root.password}`),
  (random) => ['none', line(`Basic ${base64(`x${random.int(1e9)}:${secret}`)}`)],
  (random) => ['none', line(`Basic ${base64(`${'x'.repeat(random.int(3000))}:${secret}`)}`)],
  (random) => ['none', line(`Basic ${base64(random.bytes(random.int(60)))}`)],
  // Malformed.
  header('none', ''),
  header('none', 'Basic'),
  header('none', 'Basic '),
  header('none', 'Basic !!!'),
  header('none', 'Basic ===='),
  credential('none', ''),
  credential('none', ':'),
  credential('none', `:${root.password}`),
  credential('none', 'root'),
  credential('none', `ro\0ot:${root.password}`),
  credential('none', `root:${root.password}\0`),
  credential('none', Buffer.concat([Buffer.from('root'), bytes(0xff), Buffer.from(`:${root.password}`)])),
  credential('none', Buffer.concat([bytes(0xed, 0xa0, 0x80), Buffer.from(`:${root.password}`)])),
  credential('none', Buffer.concat([bytes(0xc1, 0xb2), Buffer.from(`oot:${root.password}`)])),
  credential('none', Buffer.from(`root:${root.password}`, 'utf16le')),
  credential('none', valid),
  header('none', `Basic ${Buffer.from(`root:${root.password}??>`).toString('base64url')}_`),
  header('none', `Basic ${'A'.repeat(3000)}`),
  header('none', `Basic ${'A'.repeat(15_000)}`),
  header('none', `Basic ${'A'.repeat(20_000)}`),
  header('none', `Basic${' '.repeat(10_000)}!`),
  (random) => ['none', line(`Basic ${corrupted(random)}`)],
  // Other schemes and other headers.
  header('none', valid),
  header('none', `Basi ${valid}`),
  header('none', `Basicx ${valid}`),
  header('none', `Basic\t${valid}`),
  header('none', `Basic:${valid}`),
  header('none', `"Basic" ${valid}`),
  header('none', `Basic "${valid}"`),
  header('none', `Basic ${valid} ${valid}`),
  header('none', `Basic ${valid}, Basic ${valid}`),
  header('none', `Basic ${valid},x`),
  header('none', `Basic ${valid}; charset=UTF-8`),
  header('none', `Bearer ${valid}`),
  header('none', `Digest username="root", realm="rollcall", nonce="a", uri="/", response="b"`),
  header('none', 'Negotiate YIIB'),
  rawLines('none', line(`Basic ${valid}`).repeat(2)),
  rawLines('none', line(`Basic ${valid}`) + line('Basic OnA=')),
  rawLines('none', line('') + line(`Basic ${valid}`)),
  rawLines('none', `Proxy-Authorization: Basic ${valid}\r\n`),
  rawLines('none', `X-Authorization: Basic ${valid}\r\n`),
  rawLines('none', `Authorization_: Basic ${valid}\r\n`),
  rawLines('none', `Cookie: Authorization=Basic ${valid}\r\n`),
]

/** The valid credential with one character that is not base64. */
const corrupted = (random: Random): string => {
  const at = random.int(valid.length)
  return `${valid.slice(0, at)}${random.pick(['-', '_', '!', ' ', '\t', '%', '山'])}${valid.slice(at + 1)}`
}
