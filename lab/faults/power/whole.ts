import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpClient } from '#lab/histories/client.ts'
import { prefix, type Todo } from '#lab/histories/todos.ts'
import { openService } from '#lab/service.ts'
import { childrenOf } from '../../../test/processes.ts'
import { databaseFiles } from './plain.ts'
import { type Losses, type Replay, replay } from './replay.ts'
import { straceArguments } from './trace.ts'

export interface WholeRun {
  readonly directory: string
  /** How many changes are requested over HTTP. */
  readonly changes: number
  readonly cuts: number
  readonly onCut?: (done: number) => void
  readonly onImage?: Replay['onImage']
}

/** Power losses of the whole service, whose HTTP responses are its acknowledgements. */
export const wholeLosses = async ({
  directory,
  changes,
  cuts,
  onCut,
  onImage,
}: WholeRun): Promise<Losses> => {
  const file = join(directory, 'rollcall.db')
  const traceFile = join(directory, 'service.trace')
  const service = await openService({
    databaseUrl: `sqlite:${file}`,
    under: ['strace', ...straceArguments(traceFile)],
  })
  await change(service.url, changes)
  for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL')
  await service.gone
  return replay({
    traceFile,
    isOurs: databaseFiles(file),
    cuts,
    seed: 2,
    ...(onCut && { onCut }),
    ...(onImage && { onImage }),
  })
}

const writers = 8

/** Every writer counts upwards in the titles of its own records, so a higher number is a later change. */
const change = async (url: string, changes: number) => {
  const client = httpClient(url, 30_000)
  let requested = 0
  const count = async () => {
    let own: Todo | undefined
    for (let n = 1; requested < changes; n++) {
      requested++
      const isNew = own === undefined || n % 25 === 0
      const ask = {
        method: isNew ? 'POST' : 'PATCH',
        path: `${prefix}/todos${isNew ? '' : `/${own?.todoId}`}`,
      }
      const { status, body } = await client.ask({ ...ask, body: { todoTitle: String(n) } })
      if (status >= 300) throw new Error(`unexpected answer ${status}: ${body}`)
      own = JSON.parse(body) as Todo
    }
  }
  /** A value that anybody has read must survive, too. */
  const look = async () => {
    while (requested < changes) {
      const { status, body } = await client.ask({ method: 'GET', path: `${prefix}/todos` })
      if (status !== 200) throw new Error(`unexpected answer ${status}: ${body}`)
      for (const { todoId } of (JSON.parse(body) as Todo[]).slice(0, 5))
        await client.ask({ method: 'GET', path: `${prefix}/todos/${todoId}` })
    }
  }
  await Promise.all([...Array.from({ length: writers }, count), look(), look()])
  client.close()
  await sleep(50)
}
