import assert from 'node:assert/strict'
import { outputOf } from './outside.ts'

/** Tries what curl can do with an HTTP/1 server. */
export const curl = async (url: string): Promise<void> => {
  const root = `${url}/api/v1/todos`
  const run = (...args: readonly string[]) => outputOf('curl', ['-s', '-S', '--max-time', '10', ...args])
  const head = async (...args: readonly string[]) => parsed(await run('-i', ...args))
  const post = ['-H', 'Content-Type: application/json', '-d', '{"todoTitle":"Milk"}']
  await head(root, ...post)

  const old = await head('-0', root)
  assert.equal(old.status, 200)
  assert.equal(old.fields.get('connection'), 'close')
  assert.equal(old.fields.get('transfer-encoding'), undefined, 'HTTP/1.0 has no chunked coding')
  assert.equal(JSON.parse(old.body).length, 1)
  assert.equal((await head('-0', '-H', 'Host:', root)).status, 200, 'HTTP/1.0 needs no Host')
  assert.equal((await head('-0', root, ...post)).status, 201)

  const keeping = ['-0', '-H', 'Connection: keep-alive']
  const kept = await head(...keeping, `${root}?page=0`)
  assert.equal(kept.fields.get('connection'), 'keep-alive')
  assert.ok(Number(kept.fields.get('content-length')) > 0)
  assert.deepEqual(
    await connections(run, [...keeping, `${root}?page=0`, `${root}?page=1`, `${root}?page=2`]),
    [1, 0, 0],
  )

  const mixed = [
    root,
    `${root}?page=0`,
    `${root}/nobody`,
    `${url}/nowhere`,
    `${root}.xml`,
    `${root}?page=abc`,
  ]
  assert.deepEqual(await connections(run, mixed), [1, 0, 0, 0, 0, 0])
  assert.deepEqual(await connections(run, ['-I', ...mixed]), [1, 0, 0, 0, 0, 0])

  assert.equal((await head('--http1.1', '-H', 'Host:', root)).status, 400, 'HTTP/1.1 needs a Host')
  assert.equal((await head('--http2', root)).status, 200, 'an upgrade is ignored')
  assert.equal((await head('-X', 'OPTIONS', '--request-target', '*', url)).status, 204)
  assert.equal((await head('--path-as-is', `${root}/../members`)).status, 404)
  assert.equal((await head('-r', '0-5', root)).status, 200, 'a range request gets the whole representation')
  const large = '{"todoTitle":"Large"}'.padEnd(900_000)
  const expecting = [
    '-H',
    'Expect: 100-continue',
    '-H',
    'Content-Type: application/json',
    '--data-binary',
    '@-',
  ]
  const continued = await outputOf('curl', ['-s', '-i', '--max-time', '10', ...expecting, root], large)
  assert.match(continued, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  const refused = await outputOf('curl', ['-s', '-i', ...expecting, root], large.padEnd(2_000_000))
  assert.match(refused, /^HTTP\/1\.1 413 /)

  for (let at = 0; at < 30; at++) await run(root, ...post)
  const whole = await run(root)
  for (const coding of ['br', 'gzip']) {
    const coded = await head('--compressed', '-H', `Accept-Encoding: ${coding}`, root)
    assert.equal(coded.fields.get('content-encoding'), coding)
    assert.equal(coded.body, whole)
  }
}

/** How many connections each transfer opened. */
const connections = async (run: (...args: readonly string[]) => Promise<string>, args: readonly string[]) => {
  const urls = args.filter((arg) => arg.startsWith('http')).length
  const output = await run('-w', '\n#%{num_connects}\n', ...args)
  const counts = [...output.matchAll(/^#(\d+)$/gm)].map(([, count]) => Number(count))
  assert.equal(counts.length, urls)
  return counts
}

const parsed = (text: string) => {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const fields = new Map(
    lines.map((field): [string, string] => {
      const [name = '', ...value] = field.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  return { status: Number(line.split(' ')[1]), fields, body: text.slice(end + 4) }
}
