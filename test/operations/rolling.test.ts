import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { openBalancer } from './balancer.ts'
import { type ServiceProcess, serve } from './child.ts'

/** Set ROLLING_REQUESTS=100000 for a long run. */
const minRequests = Number(process.env.ROLLING_REQUESTS ?? 300)
const clients = 8
/** The pause between two requests of a caller, so that two cores suffice for the services too. */
const restMs = 5

test(`two instances restarted in turn behind a balancer lose none of at least ${minRequests} requests`, async (t) => {
  const instances = await Promise.all([openInstance(t, 'a'), openInstance(t, 'b')])
  const balancer = await openBalancer(instances.map(({ service }) => service()))
  t.after(() => balancer.close())
  const load = startLoad(balancer.url)
  let restarts = 0
  while (restarts < 2 || load.requests() < minRequests) {
    for (const instance of instances) {
      await instance.restart()
      await balancer.reaches(instance.service())
    }
    restarts += instances.length
  }
  const { requests, failures, retries } = await load.stop()
  t.diagnostic(`${requests} requests, ${failures.length} lost, ${retries} retried, ${restarts} restarts`)
  assert.deepEqual([failures, balancer.lost], [[], []])
})

const openInstance = async (t: TestContext, name: string) => {
  const environment = {
    DATABASE_URL: `sqlite:${join(freshFolder(), `${name}.db`)}`,
    PORT: String(await freePort()),
    MANAGEMENT_PORT: String(await freePort()),
    LOG_LEVEL: 'warn',
  }
  let service: ServiceProcess = await serve(t, { environment })
  return {
    service: () => service,
    async restart() {
      service.kill('SIGTERM')
      assert.deepEqual(await service.exit, { code: 0, signal: null })
      service = await serve(t, { environment })
    },
  }
}

const startLoad = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const failures: string[] = []
  let requests = 0
  let retries = 0
  let isStopped = false
  const client = async () => {
    while (!isStopped) {
      const isPost = requests++ % 3 === 0
      const send = () => ask(agent, `${url}/api/v1/todos${isPost ? '' : '?size=1'}`, isPost)
      let status = await send()
      while (status === overloaded) {
        retries++
        await sleep(1_000)
        status = await send()
      }
      if (status !== (isPost ? 201 : 200)) failures.push(`${isPost ? 'POST' : 'GET'}: ${status}`)
      await sleep(restMs)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    requests: () => requests,
    async stop() {
      isStopped = true
      await running
      agent.destroy()
      return { requests, failures, retries }
    },
  }
}

/** The refusal of an overloaded instance. The request has had no effect, so the client retries it. */
const overloaded = 'e.xx.fw.9004'

const ask = (agent: Agent, url: string, isPost: boolean) =>
  new Promise<number | string>((resolve) => {
    const headers = isPost ? { 'content-type': 'application/json' } : {}
    const outgoing = request(url, { agent, method: isPost ? 'POST' : 'GET', headers }, (answer) => {
      text(answer).then(
        (body) => resolve(body.includes(overloaded) ? overloaded : (answer.statusCode ?? 0)),
        (error) => resolve(error.message),
      )
    })
    outgoing.on('error', (error) => resolve(error.message))
    outgoing.end(isPost ? '{"todoTitle":"roll"}' : undefined)
  })
