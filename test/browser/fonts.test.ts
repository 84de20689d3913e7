import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { openConsole } from './console.ts'

after(closeBrowser)

const ownNames = [
  'İbrahim Şahin Çağrı',
  'Jiří Dvořák',
  'Żółć Łęcka',
  'Šime Đurić',
  'Győző Űr',
  'Ștefan Țepeș',
  'Nguyễn Thị Ừng',
]

const otherNames = ['Ελένη Γεωργίου', 'Дмитрий Щёголев', 'X\u030Cavier G\u0307\u0331or']

suite('the fonts of the console', { skip }, () => {
  test('each font file has a glyph for every character of its declared range', async (t) => {
    const { page } = await openConsole(t, 'todos')
    const faces = await page.evaluate(async () => {
      const all = [...document.fonts]
      await Promise.all(all.map((face) => face.load()))
      return all.map(({ family, weight, unicodeRange }) => ({ family, weight, unicodeRange }))
    })
    assert.equal(faces.length, 6)
    const wire = await inspect(page)
    for (const { family, weight, unicodeRange } of faces) {
      const claimed = charactersOf(unicodeRange)
      assert.ok(claimed.length < 500, `${family} claims ${unicodeRange}`)
      await page.evaluate(
        ({ text, font }) => {
          const probe = document.createElement('p')
          probe.className = 'probe'
          probe.style.font = font
          probe.append(...text.map((character) => `${character} `))
          document.querySelector('main')?.replaceChildren(probe)
        },
        { text: claimed, font: `${weight.split(' ')[0]} 16px ${family}` },
      )
      const others = (await fontsOf(wire, '.probe')).filter(({ isOwn }) => !isOwn)
      assert.deepEqual(others, [], `${family} ${unicodeRange}`)
    }
  })

  test('European and Vietnamese names use the fonts of the console, and names in other scripts use no Japanese font', async (t) => {
    for (const [name, fonts] of await fontsOfMembers(t, [...ownNames, ...otherNames])) {
      // In a Japanese font accents would stand beside the letters.
      if (otherNames.includes(name))
        assert.doesNotMatch(JSON.stringify(fonts), /CJK|JP|Hiragino|Yu Gothic|Yu Mincho/, name)
      else
        assert.ok(
          fonts.every(({ isOwn }) => isOwn),
          `${name} ${JSON.stringify(fonts)}`,
        )
    }
  })
})

interface UsedFont {
  readonly family: string
  readonly isOwn: boolean
}

/** The fonts in which Chromium draws each name in the list, and as the title of the member's page. */
const fontsOfMembers = async (t: Parameters<typeof startApp>[0], names: readonly string[]) => {
  const api = await startApp(t)
  const members: { readonly memberId: string }[] = []
  for (const [index, firstName] of names.entries()) {
    const credential = { signId: `person ${index}`, password: 'demodemo' }
    const { body } = await api('POST /members', { ...john, firstName, lastName: 'A', credential })
    members.unshift(body as { memberId: string })
  }
  const page = await openPage(t, `${api.management}/#/members`)
  const wire = await inspect(page)
  await page.getByText(`1–${names.length} of ${names.length}`).waitFor()
  const inList: UsedFont[][] = []
  for (const row of members.keys())
    inList.push(await fontsOf(wire, `tbody tr:nth-child(${row + 1}) .col-name a`))
  const drawn: (readonly [string, readonly UsedFont[]])[] = []
  for (const [row, { memberId }] of members.entries()) {
    const name = names.at(-1 - row) ?? ''
    await page.goto(`${api.management}/#/members/${memberId}`)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    drawn.push([name, [...(inList[row] ?? []), ...(await fontsOf(wire, 'h1'))]])
  }
  return drawn
}

const inspect = async (page: Page) => {
  const wire = await page.context().newCDPSession(page)
  await wire.send('DOM.enable')
  await wire.send('CSS.enable')
  return wire
}

/** A face is loaded when the text is first drawn. */
const fontsOf = async (wire: CDPSession, selector: string): Promise<UsedFont[]> => {
  await wire.send('Runtime.evaluate', {
    expression: 'new Promise(requestAnimationFrame).then(() => document.fonts.ready)',
    awaitPromise: true,
  })
  const { root } = await wire.send('DOM.getDocument')
  const { nodeId } = await wire.send('DOM.querySelector', { nodeId: root.nodeId, selector })
  const { fonts } = await wire.send('CSS.getPlatformFontsForNode', { nodeId })
  return fonts.map(({ familyName, isCustomFont }) => ({ family: familyName, isOwn: isCustomFont }))
}

/** The characters of a range in CSS: `U+20-7E, U+A0`. */
const charactersOf = (unicodeRange: string) =>
  unicodeRange.split(',').flatMap((part) => {
    const [first = 0, last = first] = part
      .replace(/\s*U\+/i, '')
      .split('-')
      .map((digits) => Number.parseInt(digits, 16))
    const codes = Array.from({ length: Math.min(last - first + 1, 1_000) }, (_, index) => first + index)
    return codes.map((code) => String.fromCodePoint(code))
  })
