import { type Client, NoAnswer } from './client.ts'
import { inUse } from './event.ts'
import type { Acting } from './ops.ts'
import type { End } from './recorder.ts'
import { prefix } from './todos.ts'

const names = ['ann', 'bob', 'cleo']

/** After so many joins there are new names: a join of unknown fate may have taken one for good. */
const joinsPerName = 20

let joins = 0

/** One process whose members contend for a few sign ids, join and leave. */
export const comings = ({ recorder, process, random, client, run }: Acting) => {
  const joined: string[] = []
  return async () => {
    const key = joined.length > 0 && random() < 0.5 ? joined.shift() : undefined
    if (key !== undefined) {
      const end = await recorder.around({ process, op: 'leave', key }, () => leave(client(), key))
      return end.type === 'ok'
    }
    const name = names[Math.floor(random() * names.length)]
    const value = differentCase(`${name}-${run}-${Math.floor(joins++ / joinsPerName)}`, random)
    const end = await recorder.around({ process, op: 'join', value }, () => join(client(), value))
    if (end.type === 'ok' && end.key) joined.push(end.key)
    return end.type === 'ok'
  }
}

const differentCase = (name: string, random: () => number) => (random() < 0.5 ? name.toUpperCase() : name)

const join = (client: Client, signId: string) =>
  ended(async () => {
    const { status, body } = await client.ask({
      method: 'POST',
      path: `${prefix}/members`,
      body: member(signId),
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
  if (status === 404 || status === 409 || status === 429) return { type: 'fail', error: String(status) }
  throw new Error(`unexpected answer ${status}: ${body}`)
}

const member = (signId: string) => ({
  firstName: 'First',
  lastName: 'Last',
  genderCode: '0',
  dateOfBirth: '2000-01-01',
  emailAddress: `${signId}@example.com`,
  credential: { signId, password: 'a password for many' },
})
