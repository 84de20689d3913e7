import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from './table.ts'

const app = service()
const listUrl = (): string => `${app().url}/api/v1/todos`

interface Todo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
}

const fetchOk = async (address: string, options: RequestInit = {}): Promise<Response> => {
  const answer = await fetch(address, options)
  assert.ok(answer.ok, `${options.method ?? 'GET'} ${address}: ${answer.status}`)
  return answer
}
const read = async <T>(address: string): Promise<T> => (await (await fetchOk(address)).json()) as T
const post = (title: string): Promise<Response> =>
  fetchOk(listUrl(), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ todoTitle: title }),
  })
const locationOf = (answer: Response): string => answer.headers.get('Location') ?? assert.fail('no Location')

/** What a todo client does that knows only the address of the list and the names of the fields. */
test('every todo in the list can be deleted, and the list is then empty', async () => {
  await post('to be deleted')
  for (const todo of await read<Todo[]>(listUrl())) {
    assert.equal((await fetchOk(`${listUrl()}/${todo.todoId}`, { method: 'DELETE' })).status, 204)
  }
  assert.deepEqual(await read(listUrl()), [])
})

test('POST answers with the new todo, unfinished', async () => {
  const answer = await post('a todo')
  const todo = (await answer.json()) as Todo
  assert.equal(todo.todoTitle, 'a todo')
  assert.equal(todo.finished, false)
})

test('a new todo is the last in the list', async () => {
  const todo = (await (await post('walk the dog')).json()) as Todo
  assert.deepEqual((await read<Todo[]>(listUrl())).at(-1), todo)
})

test('the Location of a new todo leads to it', async () => {
  const answer = await post('blah')
  assert.deepEqual(await read(locationOf(answer)), await answer.json())
})

test('the self link of a todo is its Location, and its collection link leads to a list', async () => {
  const address = locationOf(await post('linked'))
  const { links } = await read<{ links: { rel: string; href: string }[] }>(`${address}?links=true`)
  assert.equal(links.find((link) => link.rel === 'self')?.href, address)
  const collection = links.find((link) => link.rel === 'collection')?.href ?? ''
  assert.ok((await read<Todo[]>(collection)).length > 0)
})

test('a todo can be renamed, finished, reopened and deleted at its Location', async () => {
  const address = locationOf(await post('initial'))
  const patch = (change: object): Promise<Response> =>
    fetchOk(address, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify(change),
    })
  await patch({ todoTitle: 'bathe the cat' })
  assert.equal((await read<Todo>(address)).todoTitle, 'bathe the cat')
  await fetchOk(address, { method: 'PUT' })
  assert.equal((await read<Todo>(address)).finished, true)
  await patch({ finished: false })
  assert.equal((await read<Todo>(address)).finished, false)
  await fetchOk(address, { method: 'DELETE' })
  assert.equal((await fetch(address)).status, 404)
})

test('a client that revalidates an unchanged todo by its ETag gets 304', async () => {
  const address = locationOf(await post('cached'))
  const first = await fetchOk(address)
  const again = await fetch(address, {
    headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    cache: 'no-store',
  })
  assert.equal(again.status, 304)
})

test('a client that follows the next links sees every todo once', async () => {
  for (let i = 0; i < 7; i += 1) await post(`number ${i}`)
  const all = await read<Todo[]>(listUrl())
  const seen: Todo[] = []
  let address: string | undefined = `${listUrl()}?page=0&size=3`
  while (address !== undefined) {
    const answer: Response = await fetchOk(address)
    seen.push(...((await answer.json()) as { content: Todo[] }).content)
    address = /<([^>]+)>;\s*rel="?next"?/.exec(answer.headers.get('Link') ?? '')?.[1]
  }
  assert.deepEqual(seen, all)
})

test('a browser that prefers HTML gets XML', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const answer = await fetchOk(listUrl(), { headers: { Accept: accept } })
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/xml/)
})
