import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMember } from '#lab/people.ts'
import { needsBalancer, openBalancer } from '../../../test/operations/real-balancer.ts'
import { openServer, urlOf } from '../../../test/postgres-server.ts'
import type { Fault } from '../fault.ts'
import { type Instance, openInstance } from '../instance.ts'

const allowed = 200
const requestCount = 600
const keyed = 60
const loginBoundMs = 1000

const settings = {
  ACCESS: 'basic',
  ADMIN_SIGN_ID: 'root',
  ADMIN_PASSWORD: 'a word for root',
}

/** What instances share: cached logins, idempotency keys and rate limits. */
export const asOne: Fault = {
  name: 'logins, keys and limits of three instances',
  engine: 'postgres',
  promise:
    'A login ends everywhere with its credential, a key makes one row at whichever instance, and a limit applies to all together.',
  unable: needsBalancer('haproxy'),
  async run({ directory, progress }) {
    const server = await openServer(join(directory, 'postgres'))
    const open = (more: NodeJS.ProcessEnv) =>
      Promise.all([1, 2, 3].map(() => openInstance(urlOf(server), { ...settings, ...more })))
    const instances = await open({})
    const balancer = await openBalancer('haproxy', directory, instances)
    const login = await expectLoginsEnd(instances)
    progress(0.4)
    const rows = await oneRow(balancer.url)
    progress(0.6)
    await balancer.close()
    for (const instance of instances) await instance.end()
    const passed = await passedOf(await open({ RATE_LIMIT: `${allowed}/600s` }))
    const diedMs = Math.max(login.changedMs, login.removedMs)
    return {
      figure: `a changed login dead everywhere after ${diedMs} ms; ${keyed} requests with one key made ${rows} row; ${passed} of ${requestCount} requests passed a limit of ${allowed}`,
      broken: [
        ...login.broken,
        ...(rows === 1 ? [] : [`one key made ${rows} rows`]),
        ...(passed > allowed ? [`${passed} requests passed a limit of ${allowed}`] : []),
      ],
      slow: diedMs > loginBoundMs ? [`a login lived for ${diedMs} ms more`] : [],
      figures: { ...login.figures, rows, passed, allowed },
    }
  },
}

const basic = (signId: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`,
})

const root = basic(settings.ADMIN_SIGN_ID, settings.ADMIN_PASSWORD)

const call = async (url: string, line: string, headers: object, body?: unknown) => {
  const [method = '', path = ''] = line.split(' ')
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

const expectLoginsEnd = async (instances: readonly Instance[]) => {
  const [one] = instances as readonly [Instance]
  const { memberId } = JSON.parse(
    (await call(one.url, 'POST /members', root, newMember('mary', 'the first word'))).text,
  )
  const see = (url: string, password: string) => call(url, 'GET /todos?size=1', basic('mary', password))
  const everywhere = async (password: string, status: number) => {
    const startedAt = performance.now()
    for (const { url } of instances)
      while ((await see(url, password)).status !== status) {
        if (performance.now() - startedAt > 30_000) return Number.POSITIVE_INFINITY
        await sleep(5)
      }
    return Math.round(performance.now() - startedAt)
  }
  await everywhere('the first word', 200)
  await call(one.url, `PUT /members/${memberId}/credential`, root, { password: 'the second word' })
  const changedMs = await everywhere('the first word', 401)
  await everywhere('the second word', 200)
  await call(one.url, `DELETE /members/${memberId}`, root)
  const removedMs = await everywhere('the second word', 401)
  const broken = [changedMs, removedMs].includes(Number.POSITIVE_INFINITY) ? ['a login did not die'] : []
  return { changedMs, removedMs, broken, figures: { changedMs, removedMs } }
}

/** All requests at once, through the balancer, each repeated until it gets its 201. */
const oneRow = async (url: string) => {
  const headers = { ...root, 'idempotency-key': 'one for all' }
  const createOnce = async () => {
    for (let tries = 0; tries < 100; tries++) {
      const { status } = await call(url, 'POST /todos', headers, { todoTitle: 'only once' })
      if (status === 201) return
      await sleep(50)
    }
  }
  await Promise.all(Array.from({ length: keyed }, createOnce))
  const { text } = await call(url, 'GET /todos', root)
  return (JSON.parse(text) as { todoTitle: string }[]).filter((one) => one.todoTitle === 'only once').length
}

const passedOf = async (instances: readonly Instance[]) => {
  let passed = 0
  let left = requestCount
  const ask = async () => {
    while (left-- > 0) {
      const { url = '' } = instances[left % instances.length] ?? {}
      if ((await call(url, 'GET /todos?size=1', root)).status === 200) passed++
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  return passed
}
