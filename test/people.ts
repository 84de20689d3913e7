type Fields = Record<string, unknown>

/** A valid member. */
export const john = {
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1' as const,
  dateOfBirth: '1983-01-17',
  emailAddress: 'John.Smith@example.com',
  telephoneNumber: '09012345678',
  zipCode: '1234567',
  address: 'Tokyo',
  credential: { signId: null, password: 'demodemo' },
}

let count = 0

/** A valid body for a new member, with an e-mail address of its own. */
export const person = (fields: Fields = {}): Fields => {
  count += 1
  const { credential: _, ...profile } = john
  return {
    ...profile,
    emailAddress: `Person${count}@example.com`,
    credential: { password: 'open sesame' },
    ...fields,
  }
}

/** A valid body for an update: a new member without a credential. */
export const profile = (fields: Fields = {}): Fields => ({ ...without(person(), 'credential'), ...fields })

export const without = (whole: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !names.includes(name)))

const names = [
  ['Aiko', 'Tanaka', '田中町 1-2-3'],
  ['Bram', 'de Vries', 'Herengracht 12, Amsterdam'],
  ['Chiara', 'Rossi', 'Via Garibaldi 4, Torino'],
  ['Daniel', 'Okafor', '7 Marina Road, Lagos'],
  ['Elena', 'Petrova', 'Nevsky 28, St Petersburg'],
  ['Farid', 'Haddad', 'Rue Hamra 90, Beirut'],
  ['Grace', 'Hopper', 'Arlington, Virginia'],
  ['Hiroshi', 'Sato', '銀座 4-5-6, 東京'],
  ['Ingrid', 'Larsen', 'Storgata 3, Oslo'],
  ['João', 'Almeida', 'Rua Augusta 100, Lisboa'],
  ['Kenji', 'Watanabe', '青葉区 2-1, 仙台'],
  ['Lucía', 'Fernández', 'Calle Mayor 5, Madrid'],
  ['Maria', 'Nowak', 'Floriańska 8, Kraków'],
] as const

/** Members with realistic data. */
export const people = names.map(([firstName, lastName, address], index) => ({
  ...john,
  firstName,
  lastName,
  address,
  genderCode: String(index % 3),
  dateOfBirth: `19${60 + index * 2}-0${1 + (index % 9)}-1${index % 10}`,
  emailAddress: `${firstName}.${lastName}@example.com`
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z.@]/g, ''),
  telephoneNumber: `0${90 + index}-1234-56${10 + index}`,
  zipCode: `10${index}-000${index % 10}`,
}))

export const chores = [
  'Order new name badges',
  'Book the hall for May',
  'Answer the archive’s letter',
  'Renew the insurance',
  'Thank the volunteers',
  'Count the chairs',
  '新しい会員証を発注する',
]

/** The hash of `demodemo`. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$P34rLH2NDwXqHTwAGQAj7Q$pEFTWPE0RIQGt2BIJZXf3Luxpz9t6vThNlDJzgfWjkI'

/** A member that differs from others by its number, with a password hash, as in an import. */
export const numberedMember = (number: number) => ({
  firstName: `First ${number}`,
  lastName: number % 3 === 0 ? '佐藤' : `Last, "${number}"`,
  genderCode: String(number % 3),
  dateOfBirth: '1990-02-28',
  emailAddress: `p${number}@example.com`,
  telephoneNumber: number % 2 === 0 ? null : '',
  zipCode: null,
  address: 'Line one\nline two',
  credential: { signId: null, passwordHash },
})
