import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, httpClient } from '#lab/histories/client.ts'
import { prefix } from '#lab/histories/todos.ts'
import { needsBalancer, openBalancer } from '../../../test/operations/real-balancer.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import { type Fault, rounds } from '../fault.ts'
import { openInstance } from '../instance.ts'

const clients = 16

/** Two instances behind a real balancer, restarted in turn until the given number of requests was sent. */
export const rolling: Fault = {
  name: 'rolling restart behind haproxy',
  engine: 'postgres',
  promise:
    'No request is lost, and what was created is visible to the next request, whichever instance gets it.',
  unable: needsBalancer('haproxy'),
  async run(stage) {
    const server = await openServer(join(stage.directory, 'postgres'))
    const instances = await Promise.all([1, 2].map(() => openInstance(urlOf(server))))
    const balancer = await openBalancer('haproxy', stage.directory, instances)
    const wanted = rounds(stage, 100_000)
    const load = startLoad(balancer.url)
    const ends: (number | string)[] = []
    while (ends.length < 4 || load.tally.requests < wanted) {
      for (const instance of instances) {
        ends.push(await instance.restart('SIGTERM'))
        await sleep(300)
      }
      stage.progress(load.tally.requests / wanted)
    }
    await load.stop()
    const { requests, putOff, lost } = load.tally
    return {
      figure: `${ends.length} restarts: ${lost.length} of ${requests} requests lost, ${putOff} told to retry`,
      broken: [
        ...lost.slice(0, 5),
        ...ends.filter((end) => end !== 0).map((end) => `an instance ended with ${end}`),
      ],
      figures: { requests, restarts: ends.length, lost: lost.length, putOff },
    }
  },
}

/** An overloaded instance refuses a request without doing anything, and the client repeats it. */
const overloaded = 'e.xx.fw.9004'

const startLoad = (url: string) => {
  const client = httpClient(url, 30_000)
  const tally = { requests: 0, putOff: 0, lost: [] as string[] }
  let isStopped = false

  const ask = async (method: string, path: string, body?: unknown): Promise<Answer | undefined> => {
    for (;;) {
      tally.requests++
      try {
        const answer = await client.ask({ method, path: prefix + path, body })
        if (!answer.body.includes(overloaded)) return judge(answer, `${method} ${path}`)
        tally.putOff++
        await sleep(1000)
      } catch (error) {
        tally.lost.push(`${method} ${path}: ${error}`)
        return undefined
      }
    }
  }
  const judge = (answer: Answer, words: string) => {
    if (answer.status < 300) return answer
    tally.lost.push(`${words}: ${answer.status} ${answer.body.slice(0, 100)}`)
    return undefined
  }
  const one = async () => {
    while (!isStopped) {
      const created = await ask('POST', '/todos', { todoTitle: 'roll' })
      const { todoId } = JSON.parse(created?.body || '{}') as { todoId?: string }
      // The next request may reach another instance.
      if (todoId) for (let n = 0; n < 2; n++) await ask('GET', `/todos/${todoId}`)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, one))
  return {
    tally,
    async stop() {
      isStopped = true
      await running
      client.close()
    },
  }
}
