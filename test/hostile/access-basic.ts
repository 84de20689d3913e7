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
import type { Random } from './random.ts'

const root: OwnLogin = { signId: 'root', password: `${secret}-root` }
const member: OwnLogin = { signId: 'known', password: `${secret}-known` }

/** People bring sign id and password; addresses are those that a proxy tells, so that throttles are met and passed. */
export const byPassword = async (): Promise<Access> => ({
  name: 'basic',
  settings: {
    ACCESS: 'basic',
    ADMIN_SIGN_ID: root.signId,
    ADMIN_PASSWORD: root.password,
    TRUST_PROXY: '127.0.0.1',
  },
  secrets: [right(root), right(member)],
  challenge: /^Basic realm="rollcall", charset="UTF-8"$/,
  keeper: passwordCaller('full', root),
  member,
  anyCaller: (random, own) => {
    if (own !== undefined && random.chance(3)) return passwordCaller('perhaps', own)
    if (!random.chance(7)) return passwordCaller('full', root)
    if (random.chance(3)) return passwordCaller('member', member)
    return from(random, hostile(random))
  },
  close: () => {},
})

const right = ({ signId, password }: OwnLogin): string => base64(`${signId}:${password}`)

/** Each from an address of its own, or from one of a few that fail again and again. */
const from = (random: Random, { standing, lines }: Caller): Caller => {
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

const brought = (standing: Standing, text: string | Buffer): Shape => sent(standing, `Basic ${base64(text)}`)
const sent =
  (standing: Standing, value: string): Shape =>
  () => [standing, line(value)]
const whole =
  (standing: Standing, lines: string): Shape =>
  () => [standing, lines]

const good = right(root)
const bytes = (...values: number[]): Buffer => Buffer.from(values)

const shapes: readonly Shape[] = [
  // Right, written otherwise.
  sent('full', `basic ${good}`),
  sent('full', `BASIC ${good}`),
  sent('full', `Basic   ${good}`),
  brought('full', `ROOT:${root.password}`),
  brought('full', `ｒｏｏｔ:${root.password}`),
  whole('full', `aUTHORIZATION: Basic ${good}\r\n`),
  sent('perhaps', `Basic ${good.replace(/=+$/, '')}`),
  sent('perhaps', `Basic ${good}=`),
  whole('perhaps', `Authorization: Basic\r\n ${good}\r\n`),
  // Well formed and wrong.
  brought('none', `root:${secret}-Root`),
  brought('none', `root:${root.password} `),
  brought('none', `root:${root.password}:`),
  brought('none', `root :${root.password}`),
  brought('none', `nobody:${root.password}`),
  brought('none', `root:`),
  brought('none', `\ufeffroot:${root.password}`),
  brought('none', `known:${root.password}`),
  (random) => ['none', line(`Basic ${base64(`x${random.int(1e9)}:${secret}`)}`)],
  (random) => ['none', line(`Basic ${base64(`${'x'.repeat(random.int(3000))}:${secret}`)}`)],
  (random) => ['none', line(`Basic ${base64(random.bytes(random.int(60)))}`)],
  // Not well formed.
  sent('none', ''),
  sent('none', 'Basic'),
  sent('none', 'Basic '),
  sent('none', 'Basic !!!'),
  sent('none', 'Basic ===='),
  brought('none', ''),
  brought('none', ':'),
  brought('none', `:${root.password}`),
  brought('none', 'root'),
  brought('none', `ro\0ot:${root.password}`),
  brought('none', `root:${root.password}\0`),
  brought('none', Buffer.concat([Buffer.from('root'), bytes(0xff), Buffer.from(`:${root.password}`)])),
  brought('none', Buffer.concat([bytes(0xed, 0xa0, 0x80), Buffer.from(`:${root.password}`)])),
  brought('none', Buffer.concat([bytes(0xc1, 0xb2), Buffer.from(`oot:${root.password}`)])),
  brought('none', Buffer.from(`root:${root.password}`, 'utf16le')),
  brought('none', good),
  sent('none', `Basic ${Buffer.from(`root:${root.password}??>`).toString('base64url')}_`),
  sent('none', `Basic ${'A'.repeat(3000)}`),
  sent('none', `Basic ${'A'.repeat(15_000)}`),
  sent('none', `Basic ${'A'.repeat(20_000)}`),
  sent('none', `Basic${' '.repeat(10_000)}!`),
  (random) => ['none', line(`Basic ${torn(random)}`)],
  // Other schemes, other places.
  sent('none', good),
  sent('none', `Basi ${good}`),
  sent('none', `Basicx ${good}`),
  sent('none', `Basic\t${good}`),
  sent('none', `Basic:${good}`),
  sent('none', `"Basic" ${good}`),
  sent('none', `Basic "${good}"`),
  sent('none', `Basic ${good} ${good}`),
  sent('none', `Basic ${good}, Basic ${good}`),
  sent('none', `Basic ${good},x`),
  sent('none', `Basic ${good}; charset=UTF-8`),
  sent('none', `Bearer ${good}`),
  sent('none', `Digest username="root", realm="rollcall", nonce="a", uri="/", response="b"`),
  sent('none', 'Negotiate YIIB'),
  whole('none', line(`Basic ${good}`).repeat(2)),
  whole('none', line(`Basic ${good}`) + line('Basic OnA=')),
  whole('none', line('') + line(`Basic ${good}`)),
  whole('none', `Proxy-Authorization: Basic ${good}\r\n`),
  whole('none', `X-Authorization: Basic ${good}\r\n`),
  whole('none', `Authorization_: Basic ${good}\r\n`),
  whole('none', `Cookie: Authorization=Basic ${good}\r\n`),
]

/** The right one with one letter that base64 does not have in it. */
const torn = (random: Random): string => {
  const at = random.int(good.length)
  return `${good.slice(0, at)}${random.pick(['-', '_', '!', ' ', '\t', '%', '山'])}${good.slice(at + 1)}`
}
