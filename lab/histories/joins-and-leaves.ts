import { newMember } from '#lab/people.ts'
import type { Answer, Client } from './client.ts'
import { inUse } from './event.ts'
import { endOfRemoval, type ProcessContext } from './ops.ts'
import type { End } from './recorder.ts'
import { attempt, prefix } from './todos.ts'

const names = ['ann', 'bob']

/** After this many joins there are new names, since a join with an unknown outcome may have taken one for good. */
const joinsPerName = 24

let joins = 0

/** This many join with one sign id at the same moment; each is a process of its own in the history. */
const rivals = 4

const rivalProcesses = 100_000

/** A process whose members join, several at once with the same sign id, and leave. */
export const joinsAndLeaves = (acting: ProcessContext) => {
  const { recorder, process, random, client } = acting
  const members: string[] = []
  return async () => {
    const key = members.length > 0 && random() < 0.5 ? members.shift() : undefined
    if (key !== undefined) {
      const end = await recorder.around({ process, op: 'leave', key }, async () =>
        endOfRemoval(acting, await leave(client(), key)),
      )
      return end.type === 'ok'
    }
    const name = newName(acting)
    const ends = await Promise.all(Array.from({ length: rivals }, (_, index) => enter(acting, name, index)))
    for (const end of ends) if (end.type === 'ok' && end.key) members.push(end.key)
    return ends.some(({ type }) => type === 'ok')
  }
}

/** Either a new name, which any of the rivals may get, or one that is or was held. */
const newName = ({ random, run }: ProcessContext) => {
  const name = names[Math.floor(random() * names.length)]
  return random() < 0.5 ? `new${joins++}-${run}` : `${name}-${run}-${Math.floor(joins++ / joinsPerName)}`
}

const enter = ({ recorder, process, random, client }: ProcessContext, name: string, index: number) => {
  const value = differentCase(name, random)
  const invocation = { process: process + index * rivalProcesses, op: 'join', value } as const
  return recorder.around(invocation, () => join(client(), value))
}

const differentCase = (name: string, random: () => number) => (random() < 0.5 ? name.toUpperCase() : name)

const join = async (client: Client, signId: string): Promise<End> => {
  const body = newMember(signId, 'a password for many')
  const ask = { method: 'POST', path: `${prefix}/members`, body }
  const end = await attempt(client, ask, joined)
  return end.error === signIdInUse ? { ...end, error: inUse } : end
}

const signIdInUse = 'e.xx.yy.8001'

const joined = ({ body }: Answer): End => ({
  type: 'ok',
  key: (JSON.parse(body) as { memberId: string }).memberId,
})

const leave = (client: Client, key: string): Promise<End> =>
  attempt(client, { method: 'DELETE', path: `${prefix}/members/${key}` })
