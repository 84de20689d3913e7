import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from './table.ts'

const app = service()
const root = (): string => `${app().url}/api/v1/todos`

interface Todo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
}

const asked = async (address: string, options: RequestInit = {}): Promise<Response> => {
  const answer = await fetch(address, options)
  assert.ok(answer.ok, `${options.method ?? 'GET'} ${address}: ${answer.status}`)
  return answer
}
const read = async <T>(address: string): Promise<T> => (await (await asked(address)).json()) as T
const post = (title: string): Promise<Response> =>
  asked(root(), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ todoTitle: title }),
  })
const where = (answer: Response): string => answer.headers.get('Location') ?? assert.fail('no Location')

/** What any client of a list of todos does, knowing the root and the field names alone. */
test('the root responds to a GET, the todos of which can all be deleted', async () => {
  await post('to be deleted')
  for (const todo of await read<Todo[]>(root())) {
    assert.equal((await asked(`${root()}/${todo.todoId}`, { method: 'DELETE' })).status, 204)
  }
  assert.deepEqual(await read(root()), [])
})

test('the root answers a POST with the todo that was posted', async () => {
  const answer = await post('a todo')
  const todo = (await answer.json()) as Todo
  assert.equal(todo.todoTitle, 'a todo')
  assert.equal(todo.finished, false)
})

test('a posted todo is in the list at the root', async () => {
  const todo = (await (await post('walk the dog')).json()) as Todo
  assert.deepEqual((await read<Todo[]>(root())).at(-1), todo)
})

test('a new todo has an address, where the todo is', async () => {
  const answer = await post('blah')
  assert.deepEqual(await read(where(answer)), await answer.json())
})

test('the self link of a todo is its address', async () => {
  const address = where(await post('linked'))
  const { links } = await read<{ links: { rel: string; href: string }[] }>(`${address}?links=true`)
  assert.equal(links.find((link) => link.rel === 'self')?.href, address)
  const collection = links.find((link) => link.rel === 'collection')?.href ?? ''
  assert.ok((await read<Todo[]>(collection)).length > 0)
})

test('a todo can be renamed, finished, opened and deleted by its address', async () => {
  const address = where(await post('initial'))
  const patch = (change: object): Promise<Response> =>
    asked(address, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify(change),
    })
  await patch({ todoTitle: 'bathe the cat' })
  assert.equal((await read<Todo>(address)).todoTitle, 'bathe the cat')
  await asked(address, { method: 'PUT' })
  assert.equal((await read<Todo>(address)).finished, true)
  await patch({ finished: false })
  assert.equal((await read<Todo>(address)).finished, false)
  await asked(address, { method: 'DELETE' })
  assert.equal((await fetch(address)).status, 404)
})

test('a client that caches by ETag is told when nothing changed', async () => {
  const address = where(await post('cached'))
  const first = await asked(address)
  const again = await fetch(address, {
    headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    cache: 'no-store',
  })
  assert.equal(again.status, 304)
})

test('a client that follows Link headers sees every todo once', async () => {
  for (let i = 0; i < 7; i += 1) await post(`number ${i}`)
  const all = await read<Todo[]>(root())
  const seen: Todo[] = []
  let address: string | undefined = `${root()}?page=0&size=3`
  while (address !== undefined) {
    const answer: Response = await asked(address)
    seen.push(...((await answer.json()) as { content: Todo[] }).content)
    address = /<([^>]+)>;\s*rel="?next"?/.exec(answer.headers.get('Link') ?? '')?.[1]
  }
  assert.deepEqual(seen, all)
})

test('a browser that asks for a page of HTML first still gets what it can show', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const answer = await asked(root(), { headers: { Accept: accept } })
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/xml/)
})
