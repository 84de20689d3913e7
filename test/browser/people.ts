import { john } from '#test/harness.ts'

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
