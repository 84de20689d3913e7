import type { Client } from './client.ts'
import { needles } from './people.ts'
import { drain } from './unpaged.ts'

export interface Offender {
  readonly name: string
  /** Done over and over. */
  readonly act: (client: Client, origin: string, turn: number) => Promise<unknown>
}

const listAll = (_client: Client, origin: string) => drain(`${origin}/api/v1/members`)

const search = (client: Client, _origin: string, turn: number) => {
  const list = needles['one letter, common']
  return client.request('GET', `/api/v1/members?name=${list[turn % list.length]}&page=0`)
}

const hash = (client: Client, _origin: string, turn: number) =>
  client.request('POST', '/api/v1/members', {
    firstName: 'Otto',
    lastName: 'Other',
    genderCode: '1',
    dateOfBirth: '1990-01-01',
    emailAddress: 'otto@example.com',
    credential: { signId: `otto-${process.pid}-${turn}`, password: 'correct horse battery' },
  })

const write = (client: Client) => client.request('POST', '/api/v1/todos', { todoTitle: 'Buy milk and bread' })

const all = [listAll, search, hash, write]

export const offenders: readonly Offender[] = [
  { name: 'lists all, unpaged', act: listAll },
  { name: 'searches common letters', act: search },
  { name: 'creates members: hashes passwords', act: hash },
  { name: 'writes todos', act: write },
  {
    name: 'all of that at once',
    act: (client, origin, turn) => Promise.all(all.map((act) => act(client, origin, turn))),
  },
]
