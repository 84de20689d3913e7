import { BlockList, isIP } from 'node:net'
import { isDate, isShowable } from '#core/formats.ts'
import type { Rate } from '#http/api/rate-limit.ts'

/** Parses the text of a setting. Undefined if the text is not valid. */
export interface Parse<T> {
  (text: string): T | undefined
  /** The texts that are valid, if there are only a few. */
  readonly choices?: readonly string[]
}

/** Text without control characters: they are usually stray line endings, and no credential may contain them (RFC 7617). */
export const text: Parse<string> = (input) => (/^\P{Cc}+$/u.test(input) ? input : undefined)

/** An address to listen on. An IPv6 address may be in brackets, as in a URL. */
export const host: Parse<string> = (input) => text(input.replace(/^\[([\da-f:.]+)\]$/i, '$1'))

/** A password, with the same limits of length as the passwords of members. */
export const password: Parse<string> = (input) => (/^\P{Cc}{8,128}$/u.test(input) ? input : undefined)

/** The name of a file. PEM content in place of the name is refused, and no message repeats it. */
export const file: Parse<string> = (input) => (input.includes('-----BEGIN') ? undefined : text(input))

/** The names of files, separated by commas. */
export const files: Parse<readonly string[]> = (input) => {
  const names = input === '' ? [] : input.split(',').map((name) => name.trim())
  return names.every((name) => name !== '' && file(name) !== undefined) ? names : undefined
}

export const choice = <const C extends string>(...choices: readonly C[]): Parse<C> =>
  Object.assign((input: string) => choices.find((one) => one === input), { choices })

export const port: Parse<number> = (input) =>
  /^\d{1,5}$/.test(input) && Number(input) <= 65535 ? Number(input) : undefined

export const wholeNumber =
  (min: number, max: number): Parse<number> =>
  (input) =>
    /^\d{1,9}$/.test(input) && Number(input) >= min && Number(input) <= max ? Number(input) : undefined

export const onOff: Parse<boolean> = Object.assign(
  (input: string) => (/^(on|true)$/.test(input) ? true : /^(off|false)$/.test(input) ? false : undefined),
  { choices: ['on', 'off'] },
)

const units: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 }

/** A smaller limit would refuse even an ordinary member. */
const minSize = 1024

/** The whole body is held in memory, both as bytes and as text. */
const maxSize = 256 * 1024 ** 2

export const size: Parse<number> = (input) => {
  const [, count, unit = 'B'] = /^(\d{1,9})(B|KiB|MiB)?$/.exec(input) ?? []
  const bytes = Number(count) * (units[unit] ?? 1)
  return bytes >= minSize && bytes <= maxSize ? bytes : undefined
}

/** A URL that can be shown and sent unchanged (RFC 3986). The URL contains no user, so it contains no secret. */
export const linkUrl: Parse<string> = (input) =>
  /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(input) && uriCharacters.test(input) && URL.canParse(input)
    ? input
    : undefined

const uriCharacters = /^(?:[\w~.:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i

/** A URL that is compared character by character, including a trailing slash, such as that of an issuer. */
export const exactUrl: Parse<string> = (input) => (/[?#]/.test(input) ? undefined : linkUrl(input))

/** A URL to which paths are appended. */
export const baseUrl: Parse<string> = (input) => exactUrl(input)?.replace(/\/+$/, '')

/** A URL that the service itself fetches, so its port must be one that `fetch` allows. */
export const fetchableUrl =
  (read: Parse<string>): Parse<string> =>
  (input) => {
    const url = read(input)
    return url === undefined || refusedPorts.has(new URL(url).port) ? undefined : url
  }

export const rate: Parse<Rate | 'off'> = (input) => {
  if (input === 'off') return input
  const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s$/.exec(input) ?? []
  return count === undefined ? undefined : { count: Number(count), seconds: Number(seconds) }
}

const durationUnitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in milliseconds. */
export const duration: Parse<number | 'off'> = (input) => {
  if (input === 'off') return input
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(input) ?? []
  return count === undefined ? undefined : Number(count) * (durationUnitsMs[unit] ?? 1)
}

const splitList = (input: string): readonly string[] =>
  input
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Origins, or a single star. A browser sends complete origins, so a star inside an origin would match nothing. */
export const origins: Parse<readonly string[]> = (input) => {
  const found = splitList(input)
  return found.every((origin) => origin === '*' || isOrigin(origin)) ? found : undefined
}

const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text

export const hosts: Parse<readonly string[]> = (input) => {
  const found = splitList(input)
  return found.every((host) => host === '*' || /^[\w.-]+$/.test(host)) ? found : undefined
}

export const proxies: Parse<BlockList> = (input) => {
  const addresses = new BlockList()
  if (input === 'off') return addresses
  for (const address of splitList(input)) {
    const [host = '', bits, ...more] = address.split('/')
    const family = isIP(host) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(host) === 0 || more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
      return undefined
    if (Number(bits ?? 0) > (family === 'ipv6' ? 128 : 32)) return undefined
    if (bits === undefined) addresses.addAddress(host, family)
    else addresses.addSubnet(host, Number(bits), family)
  }
  return addresses
}

export const database: Parse<string> = (input) =>
  /^sqlite:.+|^postgres(ql)?:\/\//.test(input) ? text(input) : undefined

/** A date, or a time with an offset. A time without an offset would mean a different instant on every machine. */
export const time: Parse<number> = (input) => {
  const [, day = ''] = /^(.{10})(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(input) ?? []
  const instant = isDate(day) ? Date.parse(input) : Number.NaN
  return isShowable(instant) ? instant : undefined
}

/** Header fields as `name=value,…` with encoded values, the form that OpenTelemetry defines. */
export const headers: Parse<Readonly<Record<string, string>>> = (input) => {
  const found = splitList(input).map(parseHeader)
  const valid = found.filter((header) => header !== undefined)
  return input === '' || valid.length < found.length ? undefined : Object.fromEntries(valid)
}

const parseHeader = (pair: string): readonly [string, string] | undefined => {
  const [, name, encoded = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/s.exec(pair) ?? []
  try {
    const value = decodeURIComponent(encoded)
    return name === undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : [name, value]
  } catch {
    return undefined
  }
}

/** The ports that `fetch` refuses (https://fetch.spec.whatwg.org/#port-blocking), because other protocols use them. */
export const refusedPorts: ReadonlySet<string> = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137
  139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723
  2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
)
