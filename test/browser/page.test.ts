import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Route } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { chores, people, person } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { chooseFile, fill, mergePatch, openConsole } from './console.ts'

after(closeBrowser)

const maxTransferBytes = 150_000

/** A time longer than a busy machine needs for an assertion; the tests let it pass by the clock of the page. */
const askedSeconds = 15

const askToWait = (route: Route) =>
  route.fulfill({
    status: 429,
    headers: { 'X-Track': 'waited', 'Retry-After': `${askedSeconds}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: 'e.xx.fw.6007', message: 'Too many requests.' }),
  })

suite('the page of the console', { skip }, () => {
  test('assets may be cached for a year; methods other than GET, HEAD and OPTIONS are refused with 405', async (t) => {
    const api = await startApp(t)
    const page = await (await fetch(`${api.management}/`)).text()
    const [script] = /\/assets\/main-\w+\.js/.exec(page) ?? []
    const asset = await fetch(api.management + script, { headers: { 'Accept-Encoding': 'br' } })
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(asset.headers.get('content-encoding'), 'br')
    for (const path of ['/', '/docs', '/metrics', '/health/live']) {
      const refused = await fetch(api.management + path, { method: 'POST' })
      assert.deepEqual(
        [path, refused.status, refused.headers.get('allow')],
        [path, 405, 'GET, HEAD, OPTIONS'],
      )
      assert.equal((await fetch(api.management + path, { method: 'OPTIONS' })).status, 204)
    }
    assert.equal((await fetch(`${api.management}/assets/../package.json`)).status, 404)
  })

  test('the page transfers less than 150 kB', async (t) => {
    const api = await startApp(t)
    await fetch(`${api.management}/`)
    const page = await openPage(t, 'about:blank')
    const wire = await page.context().newCDPSession(page)
    let transferBytes = 0
    await wire.send('Network.enable')
    const known = new Set<string>()
    const polls = new Set<string>()
    wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (known.has(request.url)) polls.add(requestId)
      known.add(request.url)
    })
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (!polls.has(requestId)) transferBytes += encodedDataLength
    })
    const startedAtMs = performance.now()
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('Nothing to do').waitFor()
    const firstViewMs = performance.now() - startedAtMs
    await page.goto(`${api.management}/#/overview`)
    await page.getByText('Ready').waitFor()
    t.diagnostic(`transfer ${transferBytes} bytes, first view ${Math.round(firstViewMs)} ms`)
    assert.ok(transferBytes > 10_000 && transferBytes < maxTransferBytes, `${transferBytes} bytes`)
  })

  test('axe finds nothing on any page or dialog, in light and in dark', async (t) => {
    const { api, memberId } = await fill(t)
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(4, 10)
    await api('POST /members', person({ dateOfBirth: `2000${tomorrow}` }))
    const page = await openPage(t, `${api.management}/`)
    const found: Record<string, string[]> = {}
    const look = async (name: string, ready: string) => {
      await page.getByText(ready).first().waitFor()
      const list = await violationsInBothLights(page)
      if (list.length > 0) found[name] = list
    }
    const visit = async (path: string, ready: string) => {
      await page.goto(`${api.management}/#/${path}`)
      await look(path, ready)
    }
    await visit('overview', 'The next 7 days')
    await visit('service', 'Event-loop lag')
    await visit('todos', 'Count the chairs')
    await page
      .getByRole('button', { name: /^Rename/ })
      .first()
      .click()
    await look('renaming', 'Save')
    await visit('members', 'Chiara Rossi')
    await visit('members?name=nobody', 'Clear the search')
    await visit(`members/${memberId}`, 'Tanaka')
    await page.getByRole('button', { name: 'Change password' }).click()
    await look('password', 'New password')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete' }).click()
    await look('deleted', 'is off the roll')
    await page.getByRole('button', { name: 'Undo' }).click()
    await visit(`members/${memberId}/edit`, 'Edit')
    await page.getByLabel('Last name').fill('Mine')
    await api(`PATCH /members/${memberId}`, { lastName: 'Other' }, mergePatch)
    await look('news', 'Somebody else has changed this member meanwhile')
    await page.getByRole('button', { name: 'Save' }).click()
    await look('conflict', 'Somebody else changed this record')
    await page.keyboard.press('Escape')
    await page.goto(`${api.management}/#/members/new`)
    await look('leaving', 'Leave without saving?')
    await page.getByRole('button', { name: 'Leave' }).click()
    await look('members/new', 'Add member')
    await page.getByRole('button', { name: 'Add member' }).click()
    await look('refused form', 'marked fields')
    await visit('import', 'Drop a file here')
    await chooseFile(page, 'Given name,Nickname,Born on\nAiko,Ai,1/2/1990\n')
    await look('import questions', 'Choose what happens to rows without a password.')
    await visit('import', 'Drop a file here')
    await page.getByRole('radio', { name: 'Todos' }).check()
    await chooseFile(page, '{"todoTitle":"good"}\n{"todoTitle":""}')
    await look('import faults', 'Refused rows are never imported.')
    await page.getByRole('button', { name: 'Add 1' }).click()
    await look('import report', 'Undo this import')
    await visit('webhooks', 'No webhooks yet')
    await visit('members/nobody', 'Specified member not found')
    await visit('nowhere', 'Page not found')
    await page.keyboard.press('?')
    await look('keys', 'Single-key shortcuts')
    assert.deepEqual(found, {})
  })

  test('the language follows the browser, can be changed, and applies to messages of the service', async (t) => {
    const { api, page } = await openConsole(t, 'todos', { locale: 'ja-JP' })
    await page.getByRole('heading', { name: 'やること' }).first().waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'ja')
    await page.getByLabel('何をしますか？').fill('あ'.repeat(31))
    await page.keyboard.press('Enter')
    await page.getByText('1 文字から 30 文字までにしてください。').waitFor()
    await page.getByRole('radio', { name: 'English' }).check()
    await page.getByRole('heading', { name: 'Todos', exact: true }).waitFor()
    await page.getByText('1 to 30 characters.').waitFor()
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.goto(`${api.management}/#/members/nobody`)
    await page.getByText('指定された会員が見つかりません。').waitFor()
    await page.getByRole('radio', { name: 'English' }).check()
    await page.goto(`${api.management}/#/todos`)
    await page.reload()
    await page.getByRole('heading', { name: 'Todos', exact: true }).waitFor()
  })

  test('light and dark follow the system until one is chosen; selected rows and finished todos are marked in both, and in forced colours', async (t) => {
    const { api } = await fill(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByText('Count the chairs').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const contrast = await page.locator('.segment :checked + span').first().evaluate(contrastOfEdge)
      assert.ok(contrast >= 3, `${colorScheme}: ${contrast}`)
    }
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await paper()
    await page.getByRole('radio', { name: 'Light' }).check()
    const light = await paper()
    assert.notEqual(light, dark)
    await page.reload()
    await page.getByText('Count the chairs').waitFor()
    assert.equal(await paper(), light)

    await page.emulateMedia({ forcedColors: 'active' })
    const colours = (name: string) =>
      page
        .locator('.segment', { has: page.getByRole('radio', { name }) })
        .locator('span')
        .evaluate((element) => getComputedStyle(element).backgroundColor)
    assert.notEqual(await colours('All'), await colours('Open'))
    const ticks = page.locator('.ring > span')
    const seen = await ticks.evaluateAll((all) =>
      all.filter((tick) => tick.checkVisibility({ visibilityProperty: true })),
    )
    assert.equal(seen.length, 1)
    assert.equal(await ticks.count(), chores.length)
  })

  test('dates are written in the format of the locale, and a language chosen in one tab applies in all tabs', async (t) => {
    const { api, memberId } = await fill(t)
    const page = await openPage(t, `${api.management}/#/members/${memberId}`, { locale: 'en-GB' })
    await page.getByText('10 Jan 1960').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${api.management}/#/todos`)
    await other.getByRole('radio', { name: '日本語' }).check()
    await page.getByText('1960/01/10').waitFor()
  })

  test('the page of an unknown address shows the track id and a link to the documentation, which opens in a new tab', async (t) => {
    const { api, page } = await openConsole(t, '100%')
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
    assert.equal(await page.getByRole('heading').count(), 1)
    await page.goto(`${api.management}/#/members/100%`)
    await page.getByText('Specified member not found. member id : 100%').waitFor()
    await page.getByText(/^[0-9a-f]{32}$/).waitFor()
    await page.waitForFunction(() => document.title === 'There is no such member · Rollcall')
    for (const name of ['API documentation', /^What e\.xx\.yy\.5001 means/]) {
      const [opened] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name }).click(),
      ])
      await opened.getByRole('link', { name: 'Rollcall' }).click()
      await opened.waitForURL(`${api.management}/#/overview`)
    }
    assert.equal(page.url(), `${api.management}/#/members/100%`)
  })

  test('the keyboard alone is enough to reach the pages, finish a todo and close a dialog', async (t) => {
    const { page } = await openConsole(t, 'overview', { todos: ['by keys'] })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content')
    await page.evaluate(stopEventTime)
    for (const [key, title] of [
      ['m', 'Members'],
      ['i', 'Import'],
      ['t', 'Todos'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
    }
    await page.getByText('by keys').waitFor()
    const reached = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    for (let steps = 0; steps < 12 && !(await reached()).startsWith('Finish'); steps++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Reopen “by keys”' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.match(await reached(), /by keys/)
  })

  test('an unreachable service is announced once and not shown as ready; when it is back, the page shows that', async (t) => {
    const { api, page } = await openConsole(t, 'overview')
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.evaluate(() => {
      const seen: string[] = []
      Object.assign(globalThis, { seen })
      const status = document.querySelector('[role=status]')
      if (!status) throw new Error('the page has no status element')
      const note = () => seen.push(status.textContent)
      new MutationObserver(note).observe(status, { childList: true, subtree: true, characterData: true })
    })
    await page.route(/metrics|health|api/, (route) => route.abort())
    await page.getByText('Not reachable', { exact: true }).waitFor()
    await page.getByText(/^Counted at /).waitFor()
    await page.goto(`${api.management}/#/todos`)
    await page.getByText('The service cannot be reached.').waitFor()
    const announcements = await page.evaluate(
      () => new Set((globalThis as unknown as { seen: string[] }).seen).size,
    )
    assert.equal(announcements, 1)
    await page.unroute(/metrics|health|api/)
    await page.getByText('No connection to the service.').waitFor({ state: 'detached' })
    await page.getByText('Nothing to do').waitFor()
  })

  test('while the service asks for a pause, the page shows how long it lasts', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.route('**/api/v1/todos?*', askToWait, { times: 1 })
    await page.goto(`${api.management}/#/todos`)
    const said = `The service asks you to wait. Trying again in ${askedSeconds} seconds.`
    await page.getByRole('status').getByText(said).waitFor()
    await page.clock.fastForward(6_000)
    await page
      .locator('.banner')
      .getByText(/Trying again in [1-9] seconds?\./)
      .waitFor()
    assert.equal(await page.getByRole('status').getByText(said).count(), 1)
    await page.clock.fastForward(askedSeconds * 1_000)
    await page.getByText('Nothing to do').waitFor()
    await page.getByText('The service asks you to wait.').waitFor({ state: 'detached' })
  })

  test('the overview shows the newest members, the number added each day, and the latest changes', async (t) => {
    const { api } = await fill(t)
    const operation = { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'milk' } }
    await api('POST /batch', { atomic: true, operations: Array(100).fill(operation) })
    const page = await openPage(t, `${api.management}/`)
    await page.getByRole('img', { name: 'Members added, The last 30 days: 4' }).waitFor()
    await page.getByRole('img', { name: `Todos added, The last 30 days: ${chores.length + 100}` }).waitFor()
    assert.equal(await page.locator('.days-some').count(), 2)
    const { body } = await api('POST /members', people[5])
    const newest = page.locator('.panel', { hasText: 'Newest members' }).getByRole('listitem')
    await newest
      .first()
      .getByText((body as { firstName: string }).firstName)
      .waitFor()
    await page.locator('.panel', { hasText: 'Latest changes' }).getByText('Member added').first().waitFor()
  })

  test('the overview shows the birthdays of the next 7 days with their dates, today first', async (t) => {
    const api = await startApp(t)
    const born = [
      ['Late', '1990-03-06'],
      ['Soon', '2000-03-05'],
      ['Leap', '1984-02-29'],
      ['Gone', '1980-02-26'],
      ['Now', '1958-02-27'],
    ]
    for (const [lastName, dateOfBirth] of born) await api('POST /members', person({ lastName, dateOfBirth }))
    const page = await openPage(t, 'about:blank')
    await page.clock.setFixedTime(new Date(2027, 1, 27, 12))
    await page.goto(`${api.management}/`)
    const panel = page.locator('.panel', { hasText: 'The next 7 days' })
    const lines = async () =>
      (await panel.getByRole('listitem').allTextContents()).map((text) => text.slice(5))
    await panel.waitFor()
    assert.deepEqual(await lines(), ['Nowtoday', 'LeapFeb 28', 'SoonMar 5'])
    for (const lastName of ['1st', '2nd', '3rd', '4th'])
      await api('POST /members', person({ lastName, dateOfBirth: '1999-02-27' }))
    await panel.getByText('4th').waitFor()
    assert.deepEqual(await lines(), ['Nowtoday', '1sttoday', '2ndtoday', '3rdtoday', '4thtoday'])
    await panel.getByRole('link', { name: 'John Now' }).click()
    await page.getByRole('heading', { name: 'John Now', level: 1 }).waitFor()
  })

  test('the metrics are drawn to scale, and left out if there are none', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    const askAgain = () => page.clock.runFor(5_000)
    await page.route('**/metrics/past', (route) => route.abort())
    await page.goto(`${api.management}/#/service`)
    await page.locator('.plot-rule').first().waitFor({ state: 'attached' })
    assert.equal(await page.locator('.plot-label').count(), 0)
    await page.unroute('**/metrics/past')
    await askAgain()
    const requests = page.getByRole('img', { name: /^Requests: reads [\d.]+ \/s/ })
    await requests.waitFor()
    assert.equal(await requests.locator('.plot-label').getByText('/s', { exact: true }).count(), 1)
    assert.equal(await page.getByRole('img').count(), 5)
    await page.route('**/metrics/past', (route) => route.fulfill({ json: anHour() }))
    await askAgain()
    for (const [chart, figures] of [
      ['Requests', 'reads 2 /s, changes 0.4 /s'],
      ['Latency', 'median 2.5 ms, 99 % 9.9 ms'],
      ['Errors', '4xx 12 /min, 5xx 0 /min'],
      ['Storage', 'changes 4 /s, commits 1 /s'],
      ['Event-loop lag', 'mean –, longest 7 ms'],
    ] as const) {
      const plot = page.getByRole('img', { name: `${chart}: ${figures}` })
      await plot.getByText('60 min ago').waitFor()
    }
    await page.route('**/metrics/past', (route) => route.fulfill({ status: 404, body: '' }))
    await askAgain()
    await page.getByText('No metrics here').waitFor()
  })
})

/** The metrics page of a service after an hour of constant load. */
const anHour = () => ({
  secondBounds: [0.001, 0.0025, 0.005, 0.01],
  readings: Array.from({ length: 241 }, (_, at) => ({
    atMs: 15_000 * at,
    reads: 30 * at,
    writes: 6 * at,
    clientErrors: 3 * at,
    serverErrors: 0,
    commits: 15 * at,
    committedWrites: 60 * at,
    durations: [0, 18, 18, 36, 36].map((count) => count * at),
    lagMeanMs: null,
    lagMaxMs: 7,
  })),
})

/** From now on, the page takes two keys for pressed in quick succession, however busy the machine is. */
const stopEventTime = () => Object.defineProperty(Event.prototype, 'timeStamp', { value: 0 })

/** The contrast between the edge of an element and its background, from 1 to 21 (WCAG 1.4.11). */
const contrastOfEdge = (element: Element) => {
  const context = document
    .createElement('canvas')
    .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
  const luminance = (colour: string) => {
    context.fillStyle = colour
    context.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
      const part = byte / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = element.closest('.segments') as Element
  const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(element)
  const [darker = 0, lighter = 0] = [
    luminance(borderTopWidth === '0px' ? backgroundColor : borderTopColor),
    luminance(getComputedStyle(background).backgroundColor),
  ].sort((one, other) => one - other)
  return (lighter + 0.05) / (darker + 0.05)
}
