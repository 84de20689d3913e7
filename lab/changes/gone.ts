import { httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'

export interface Losing {
  readonly url: string
  /** A cursor that was given long ago. */
  readonly early: string
  /** Runs a statement on the database. */
  readonly alter: (statement: string) => Promise<unknown>
}

const keptChanges = 5

/** A log loses its newest change, whose number another one takes, and then its oldest ones. Whoever stands there is told. */
export const complaintsOfLosers = async ({ url, early, alter }: Losing) => {
  const client = httpClient(url)
  const ask = (cursor: string, wait = 0, accept = 'application/json') =>
    client.ask({
      ...{ method: 'GET', path: `${prefix}/changes?after=${cursor}&wait=${wait}` },
      headers: { accept },
    })
  const write = async () => {
    const { headers } = await client.ask({
      ...{ method: 'POST', path: `${prefix}/todos` },
      body: { todoTitle: 'another' },
    })
    return String(headers['change-cursor'])
  }
  const complaints: string[] = []
  const mustBeGone = async (cursor: string, what: string) => {
    const asked = [ask(cursor), ask(cursor, 60), ask(cursor, 0, 'text/event-stream')]
    const answers = await Promise.all(asked.map((one) => one.catch(() => undefined)))
    const isTold = answers.every(
      (one) => one?.status === 410 && /after=latest/.test(String(one.headers.link)),
    )
    if (!isTold) complaints.push(`a cursor ${what} was answered ${answers.map((one) => one?.status)}`)
  }
  const lost = await write()
  await alter('DELETE FROM change WHERE number = (SELECT max(number) FROM change)')
  await mustBeGone(lost, 'of the future')
  await write()
  await mustBeGone(lost, 'after a change that was lost')
  const last = await write()
  await alter(`DELETE FROM change WHERE number <= (SELECT max(number) FROM change) - ${keptChanges}`)
  await mustBeGone(early, 'after what was swept')
  const { status } = await ask(last)
  if (status !== 200) complaints.push(`the newest cursor was answered ${status}`)
  client.close()
  return complaints
}
