import { newMember } from '#lab/people.ts'
import { type Client, NoAnswer } from './client.ts'
import { absent, inUse } from './event.ts'
import { type Acting, ofRemoval } from './ops.ts'
import type { End } from './recorder.ts'
import { prefix } from './todos.ts'

const names = ['ann', 'bob']

/** After this many joins there are new names, since a join with an unknown outcome may have taken one for good. */
const joinsPerName = 24

let joins = 0

/** This many join with one sign id at the same moment; each is a process of its own in the history. */
const rivals = 4

const rivalProcesses = 100_000

/** A process whose members join, several at once with the same sign id, and leave. */
export const comings = (acting: Acting) => {
  const { recorder, process, random, client } = acting
  const joined: string[] = []
  return async () => {
    const key = joined.length > 0 && random() < 0.5 ? joined.shift() : undefined
    if (key !== undefined) {
      const end = await recorder.around({ process, op: 'leave', key }, async () =>
        ofRemoval(acting, await leave(client(), key)),
      )
      return end.type === 'ok'
    }
    const name = newName(acting)
    const ends = await Promise.all(Array.from({ length: rivals }, (_, index) => enter(acting, name, index)))
    for (const end of ends) if (end.type === 'ok' && end.key) joined.push(end.key)
    return ends.some(({ type }) => type === 'ok')
  }
}

/** Either a new name, which any of the rivals may get, or one that is or was held. */
const newName = ({ random, run }: Acting) => {
  const name = names[Math.floor(random() * names.length)]
  return random() < 0.5 ? `new${joins++}-${run}` : `${name}-${run}-${Math.floor(joins++ / joinsPerName)}`
}

const enter = ({ recorder, process, random, client }: Acting, name: string, index: number) => {
  const value = differentCase(name, random)
  const invocation = { process: process + index * rivalProcesses, op: 'join', value } as const
  return recorder.around(invocation, () => join(client(), value))
}

const differentCase = (name: string, random: () => number) => (random() < 0.5 ? name.toUpperCase() : name)

const join = (client: Client, signId: string) =>
  ended(async () => {
    const { status, body } = await client.ask({
      method: 'POST',
      path: `${prefix}/members`,
      body: newMember(signId, 'a password for many'),
    })
    if (status === 201) return { type: 'ok', key: (JSON.parse(body) as { memberId: string }).memberId }
    if (status === 409 && body.includes('e.xx.yy.8001')) return { type: 'fail', error: inUse }
    return refused(status, body)
  })

const leave = (client: Client, key: string) =>
  ended(async () => {
    const { status, body } = await client.ask({ method: 'DELETE', path: `${prefix}/members/${key}` })
    return status === 204 ? { type: 'ok' } : refused(status, body)
  })

const ended = async (work: () => Promise<End>): Promise<End> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return { type: error.sent ? 'info' : 'fail', error: error.message }
  }
}

const refused = (status: number, body: string): End => {
  if (status >= 500) return { type: 'info', error: String(status) }
  if (status === 404) return { type: 'fail', error: absent }
  if (status === 409 || status === 429) return { type: 'fail', error: String(status) }
  throw new Error(`unexpected answer ${status}: ${body}`)
}
