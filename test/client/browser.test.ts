import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, type TestContext, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { closeBrowser, openPage, skip } from '#test/browser/browser.ts'
import { startApp } from '#test/harness.ts'

after(closeBrowser)

/** What a page and a worker do with the client; the results are joined into one text. */
const uses = `
import { rollcall, unwrap } from './src/client/index.ts'

export const use = async (address) => {
  const { todos, members } = rollcall(address, { language: 'ja', retries: 1 })
  const results = []
  const made = unwrap(await todos.create({ todoTitle: '牛乳を買う' }))
  results.push(made.status, made.value.todoTitle, Boolean(made.etag))
  for (const title of ['a', 'b', 'c']) unwrap(await todos.create({ todoTitle: title }))
  const titles = []
  for await (const todo of todos.each({ size: 2 })) titles.push(todo.todoTitle)
  results.push(titles.join())
  const finished = unwrap(await todos.finish(made))
  results.push(finished.value.finished)
  const late = await todos.patch(made, { todoTitle: 'd' })
  results.push(late.ok ? '' : late.code)
  results.push(unwrap(await todos.remove(finished)).status)
  for await (const { todoId } of todos.each()) unwrap(await todos.remove(todoId))
  const refused = await members.create({ firstName: '' })
  results.push(refused.ok ? '' : refused.message)
  const unanswered = await rollcall('http://127.0.0.1:9', { retries: 0 }).todos.list()
  results.push(unanswered.ok ? '' : unanswered.code)
  return results.join(' | ')
}
`

const scripts = {
  '/page.js': `${uses}; window.use = use`,
  '/worker.js': `${uses}; onmessage = async ({ data }) => postMessage(await use(data))`,
}

const bundled = async (contents: string) => {
  const made = await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  })
  return made.outputFiles[0]?.text ?? ''
}

const expected =
  '201 | 牛乳を買う | true | 牛乳を買う,a,b,c | true | e.xx.fw.8003 | 204 | リクエストボディの項目に入力エラーがあります。 | unreachable'

/** A site with the API behind it: pages and workers call it on their own origin. */
const startSite = async (t: TestContext) => {
  const api = await startApp(t)
  const files = new Map(
    await Promise.all(
      Object.entries(scripts).map(async ([path, text]) => [path, await bundled(text)] as const),
    ),
  )
  const server = createServer((incoming, outgoing) => {
    const { url = '' } = incoming
    if (url.startsWith('/api/')) return forward(api.url, incoming, outgoing)
    const file = files.get(url)
    outgoing.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript')
    outgoing.end(
      file ?? '<!doctype html><link rel=icon href=data:,><script type=module src=/page.js></script>',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

const forward = (to: string, incoming: IncomingMessage, outgoing: ServerResponse) => {
  const { method, headers, url } = incoming
  const sent = request(to + url, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(sent)
}

const useInPage = async (page: Page, url: string) => {
  await page.waitForFunction('window.use')
  return page.evaluate(`window.use(${JSON.stringify(url)})`)
}

suite('the client in a browser', { skip }, () => {
  test('the client takes no more than 4.5 kB of a page, compressed by Brotli and with follow', async () => {
    const script = await bundled("export { follow, rollcall, unwrap } from './src/client/index.ts'")
    const sizeBytes = brotliCompressSync(script).length
    assert.ok(sizeBytes <= 4_500, `it is ${sizeBytes} bytes`)
  })

  test('the client works in a page, also without a secure context, and in a worker', async (t) => {
    const site = await startSite(t)
    const page = await openPage(t, site)
    assert.equal(await useInPage(page, site), expected)
    const results = await page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker('/worker.js', { type: 'module' })
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = reject
      worker.postMessage(${JSON.stringify(site)})
    })`)
    assert.equal(results, expected)

    await page.route('http://intranet.test/**', (route) =>
      route
        .fetch({ url: route.request().url().replace('http://intranet.test', site) })
        .then((response) => route.fulfill({ response })),
    )
    await page.goto('http://intranet.test/')
    assert.equal(await page.evaluate('isSecureContext'), false)
    assert.equal(await useInPage(page, 'http://intranet.test'), expected)
  })
})
