import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { needles, newMember } from '#lab/people.ts'
import { killedOnExit } from '../../test/processes.ts'
import { type Client, openClient } from './client.ts'
import { readToEnd } from './unpaged.ts'

export interface Offender {
  readonly name: string
  /** Done over and over. */
  readonly act: (client: Client, origin: string, turn: number) => Promise<unknown>
}

const listAll = (_client: Client, origin: string) => readToEnd(`${origin}/api/v1/members`)

const search = (client: Client, _origin: string, turn: number) => {
  const list = needles['one letter, common']
  return client.request('GET', `/api/v1/members?name=${list[turn % list.length]}&page=0`)
}

const hash = (client: Client, _origin: string, turn: number) =>
  client.request('POST', '/api/v1/members', newMember(`otto-${process.pid}-${turn}`, 'correct horse battery'))

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

/** Other callers would be on machines of their own. Here they take only idle processor time, if the system supports that. */
export const othersYield = spawnSync('chrt', ['--idle', '0', 'true']).status === 0

/** Starts other callers who do this, in a process of their own. */
export const startOffender = async (origin: string, name: string) => {
  const command = [process.execPath, import.meta.filename, origin, name]
  const [program = '', ...args] = othersYield ? ['chrt', '--idle', '0', ...command] : command
  const child = killedOnExit(spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
  await once(child, 'spawn')
  return {
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

const lanes = 4
const maxRunMs = 60_000

/** As a program of its own: does one thing over and over in four lanes at once, until it is killed. */
if (import.meta.main) {
  const [origin = '', name = ''] = process.argv.slice(2)
  const offender = offenders.find((each) => each.name === name)
  if (!offender) throw new Error(`nobody ${name}`)
  const until = performance.now() + maxRunMs
  let turn = 0
  const lane = async () => {
    const client = openClient(origin)
    while (performance.now() < until) await offender.act(client, origin, turn++)
    client.close()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
