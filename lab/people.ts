import type { Member } from '../src/resources/member/schema.ts'
import { random as randomOf } from './random.ts'

/** A body that replaces a member. */
export const profile = {
  firstName: 'Mary',
  lastName: 'Major',
  genderCode: '2',
  dateOfBirth: '1990-01-01',
  emailAddress: 'mary@example.com',
}

/** A body that creates one. */
export const newMember = (signId: string, password: string) => ({
  ...profile,
  credential: { signId, password },
})

/** The hash of `demodemo`. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$P34rLH2NDwXqHTwAGQAj7Q$pEFTWPE0RIQGt2BIJZXf3Luxpz9t6vThNlDJzgfWjkI'

/** A member as it is stored, with the password `demodemo`. */
export const storedMember = (number: number) => {
  const memberId = numberedId(number)
  const at = 1_700_000_000_000 + number
  const emailAddress = `p${number}@example.com`
  return {
    memberId,
    firstName: `First ${number}`,
    lastName: number % 3 === 0 ? '佐藤' : `Last ${number % 977}`,
    ...{ genderCode: String(number % 3), dateOfBirth: '1990-02-28', emailAddress, telephoneNumber: null },
    ...{ zipCode: '1234567', address: 'Tokyo', createdAt: at, lastModifiedAt: at, version: 1 },
    credential: {
      memberId,
      signId: emailAddress,
      passwordHash,
      passwordLastChangedAt: at,
      lastModifiedAt: at,
    },
  }
}

export const numberedId = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Made-up people, the same in every run: some names are common, some rare. */
export const person = (number: number, memberId: string, createdAt: number): Member => {
  const random = randomOf(number).share
  const [firstName, lastName] = number % rareEvery === rareEvery - 1 ? rareName(number) : commonName(random)
  return {
    memberId,
    firstName,
    lastName,
    genderCode: (['0', '1', '2'] as const)[Math.floor(random() * 3)] ?? '0',
    dateOfBirth: `${1940 + Math.floor(random() * 70)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`,
    emailAddress: `member${number}@example.com`,
    telephoneNumber: `0${Math.floor(random() * 1e9)}`,
    zipCode: String(1e6 + Math.floor(random() * 9e6)),
    address: `${1 + Math.floor(random() * 200)} ${pick(lastNames, random)} Street`,
    credential: { signId: `member${number}`, passwordLastChangedAt: createdAt, lastModifiedAt: createdAt },
    createdAt,
    lastModifiedAt: createdAt,
    version: 1,
  }
}

/** Search needles. All needles of one list have the same length. */
export const needles = {
  'one letter, common': ['a', 'e', 'n', 'o', 'r', 's', 'i', 'l', 't', 'h'],
  'one letter, rare': ['Ω', 'ж', 'ð', 'þ', 'ў'],
  'two letters, common': ['an', 'er', 'on', 'ar', 'in', 'ma', 'so', 'ha', 'el', 'ro'],
  'two letters, rare': ['Ωx', 'жq', 'ðv', 'þw', 'ўz'],
  'three letters, common': ['son', 'and', 'mar', 'ers', 'ill', 'ann', 'ith', 'ohn', 'ton', 'ell'],
  'three letters, rare': ['Ωxq', 'жqw', 'ðvq', 'þwx', 'ўzq'],
  'eight letters, common': ['anderson', 'williams', 'katherin', 'fujiwara', 'thompson'],
  'eight letters, rare': ['Ωxqwvbnm', 'жqwvbnmx', 'ðvqwbnmx', 'þwxqvbnm', 'ўzqwvbnm'],
} as const

const rareEvery = 10_000
const rareNames = needles['eight letters, rare']

const rareName = (number: number): readonly [string, string] => [
  `${rareNames[Math.floor(number / rareEvery) % rareNames.length]}`,
  'Rarename',
]

const firstNames =
  'John Mary Anna Hanako Taro James Katherine Robert Linda Michael Maria Daniel Ellen Akira Yuki Marco Ines Oliver Emma Noah 花子 太郎 健 美咲'.split(
    ' ',
  )
const lastNames =
  'Smith Anderson Williams Thompson Miller Johnson Martin Garcia Brown Hill Tanaka Suzuki Fujiwara Sato Larsson Rossi Santos Keller Norton Campbell 山田 鈴木 佐藤 高橋'.split(
    ' ',
  )
const syllables = 'ka ro mi ta len dor vin sha bel nor'.split(' ')

/** One in three has a made-up last name. */
const commonName = (random: () => number): readonly [string, string] => [
  pick(firstNames, random),
  random() < 0.33
    ? Array.from({ length: 4 }, () => pick(syllables, random)).join('')
    : pick(lastNames, random),
]

const pick = <T>(list: readonly T[], random: () => number) =>
  list[Math.floor(random() ** 1.5 * list.length)] as T
