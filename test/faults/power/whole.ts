import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpClient } from '../../histories/client.ts'
import { prefix, type Todo } from '../../histories/todos.ts'
import { openService } from '../service.ts'
import { databaseFiles } from './plain.ts'
import { childrenOf } from './record.ts'
import { type Losses, type Replay, replay } from './replay.ts'
import { straceArguments } from './trace.ts'

export interface WholeRun {
  readonly directory: string
  /** How many changes are asked for over HTTP. */
  readonly changes: number
  readonly cuts: number
  readonly onCut?: (done: number) => void
  readonly onImage?: Replay['onImage']
}

/** Power losses over the whole service: what it answers over HTTP is what it promised. */
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
    waitMs: 60_000,
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

/** Every writer counts up the titles of records of its own, so that a higher number is a later one. */
const change = async (url: string, changes: number) => {
  const client = httpClient(url, 30_000)
  let asked = 0
  const count = async () => {
    let own: Todo | undefined
    for (let n = 1; asked < changes; n++) {
      asked++
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
  await Promise.all(Array.from({ length: writers }, count))
  client.close()
  await sleep(50)
}
