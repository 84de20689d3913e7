import { SaxesParser } from 'saxes'
import { endOfTurn } from '#core/event-loop.ts'
import { FileRefused, maxColumns } from './refused.ts'
import type { FileOptions, FileRow } from './rows.ts'
import { type FormatNumber, numberFormatter } from './sheet-numbers.ts'
import { Zip } from './zip.ts'

/** Reads the rows of a sheet, without empty ones. The packed file and its shared texts are held in memory. */
export async function* workbookRows(
  blocks: AsyncIterable<Buffer>,
  { sheet: wantedSheet, onSheets }: Pick<FileOptions, 'sheet' | 'onSheets'>,
): AsyncGenerator<FileRow> {
  const zip = new Zip(Buffer.concat(await Array.fromAsync(blocks)))
  const main = (await relations(zip, '')).find(({ kind }) => kind === 'officeDocument')
  if (!main || !zip.has(main.path)) throw new FileRefused('workbook')
  const parts = await relations(zip, main.path)
  const { names, found: path, is1904 } = await sheetsOf(zip, main.path, parts, wantedSheet)
  onSheets?.(names)
  if (path === undefined)
    throw wantedSheet === undefined
      ? new FileRefused('workbook')
      : new FileRefused('sheet', { sheet: wantedSheet, sheets: names.join(', ') })
  const shared: string[] = []
  const formats: FormatNumber[] = []
  for (const part of parts) {
    if (part.kind === 'sharedStrings') await readPart(zip, part.path, sharedTextHandlers(shared))
    if (part.kind === 'styles') await readPart(zip, part.path, numberFormatHandlers(formats, is1904))
  }
  const rows: FileRow[] = []
  for await (const _ of parsePart(zip, path, rowHandlers(rows, { shared, formats }))) yield* rows.splice(0)
}

type Attributes = Readonly<Record<string, string>>

/** Callbacks for the elements of a part, by local name. */
interface Handlers {
  open?(name: string, attributes: Attributes): void
  text?(part: string): void
  close?(name: string): void
}

/** The longest tag or text that a workbook may have. */
const maxTokenLength = 1024 * 1024

/** Parses a part of the workbook, and yields the length of each piece. Requests are served between the pieces. */
async function* parsePart(zip: Zip, path: string, on: Handlers): AsyncGenerator<number> {
  const parser = new SaxesParser({ position: false, xmlns: false as const })
  let length = 0
  const refuseDamaged = () => {
    throw new FileRefused('damaged')
  }
  parser.on('error', refuseDamaged)
  parser.on('doctype', refuseDamaged)
  parser.on('opentag', ({ name, attributes }) => {
    length = 0
    on.open?.(localName(name), attributes)
  })
  parser.on('text', (part) => on.text?.(part))
  parser.on('cdata', (part) => on.text?.(part))
  parser.on('closetag', ({ name }) => on.close?.(localName(name)))
  for await (const text of zip.text(path)) {
    length += text.length
    if (length > maxTokenLength) refuseDamaged()
    parser.write(text)
    yield text.length
    await endOfTurn()
  }
  parser.close()
  yield 0
}

/** The maximum length of a part that is held in memory. The longest such part contains the shared texts. */
const maxHeldLength = 64 * 1024 ** 2

/** Reads a part whose contents are held in memory. */
const readPart = async (zip: Zip, path: string, on: Handlers) => {
  let length = 0
  for await (const pieceLength of parsePart(zip, path, on)) {
    length += pieceLength
    if (length > maxHeldLength) throw new FileRefused('unpacked')
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

interface Relation {
  readonly id: string
  readonly kind: string | undefined
  readonly path: string
}

/** The parts to which this part refers. */
const relations = async (zip: Zip, from: string): Promise<readonly Relation[]> => {
  const path = from.replace(/[^/]*$/, '_rels/$&.rels')
  const found: Relation[] = []
  const open: Handlers['open'] = (_, { Id: id = '', Type: type = '', Target: target = '' }) => {
    const url = URL.parse(target, `zip:///${from}`)
    if (url) found.push({ id, kind: type.split('/').at(-1), path: url.pathname.slice(1) })
  }
  if (zip.has(path)) await readPart(zip, path, { open })
  return found
}

/** The names of all sheets, the path of the wantedSheet or first visible sheet, and whether days are counted from 1904. */
const sheetsOf = async (zip: Zip, main: string, parts: readonly Relation[], wantedSheet?: string) => {
  const names: string[] = []
  const paths: string[] = []
  let is1904 = false
  await readPart(zip, main, {
    open(element, { name = '', state = 'visible', date1904 = '', ...others }) {
      if (element === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true'
      if (element !== 'sheet') return
      const part = parts.find(({ id, kind }) => kind === 'worksheet' && Object.values(others).includes(id))
      if (!part) return
      names.push(name)
      if (wantedSheet === undefined ? state === 'visible' : name === wantedSheet) paths.push(part.path)
    },
  })
  return { names, found: paths[0], is1904 }
}

const sharedTextHandlers = (into: string[]) => textCollector('si', (text) => into.push(unescapeText(text)))

/** Excel allows 65,490. */
const maxCellFormats = 65_536

const numberFormatHandlers = (into: FormatNumber[], is1904: boolean): Handlers => {
  const codes = new Map<string, string>()
  let isCellFormat = false
  return {
    open(name, { numFmtId: id = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(id, formatCode)
      if (name === 'cellXfs') isCellFormat = true
      if (into.length > maxCellFormats) throw new FileRefused('damaged')
      if (name === 'xf' && isCellFormat) into.push(numberFormatter(codes.get(id) ?? Number(id), is1904))
    },
    close(name) {
      if (name === 'cellXfs') isCellFormat = false
    },
  }
}

/** Collects the text of each element with this name, without the pronunciation of Japanese text (`rPh`). */
const textCollector = (
  element: string,
  onElement: (text: string, attributes: Attributes) => void,
  others: Handlers = {},
): Handlers => {
  let [text, isCollecting, isPronunciation] = ['', false, false]
  let elementAttributes: Attributes = {}
  return {
    open(name, attributes) {
      if (name === element) [text, elementAttributes] = ['', attributes]
      else if (name === 'rPh') isPronunciation = true
      else if (name === 't' || name === 'v') isCollecting = !isPronunciation
      else others.open?.(name, attributes)
    },
    text(part) {
      if (isCollecting) text += part
    },
    close(name) {
      isCollecting = false
      if (name === 'rPh') isPronunciation = false
      if (name === element) onElement(text, elementAttributes)
      else others.close?.(name)
    },
  }
}

/** Restores the characters that XML cannot contain and that a workbook writes as `_x0007_`. */
const unescapeText = (text: string) =>
  text.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The texts and number formats that all sheets share. */
interface SharedParts {
  readonly shared: readonly string[]
  readonly formats: readonly FormatNumber[]
}

/** Adds the rows of a sheet to `found`. A row or cell without a number comes directly after the one before it. */
const rowHandlers = (found: FileRow[], book: SharedParts): Handlers => {
  let [line, column] = [0, 0]
  let cells: (string | undefined)[] = []
  const addCell = (text: string, { r, t = 'n', s = '0' }: Attributes) => {
    column = r === undefined ? column + 1 : columnOf(r)
    if (text === '') return
    if (column > maxColumns) throw new FileRefused('columns', { line, max: maxColumns })
    while (cells.length < column) cells.push(undefined)
    cells[column - 1] = cellText(text, t, Number(s), book)
  }
  const openRow = (name: string, { r = '' }: Attributes) => {
    if (name !== 'row') return
    line = Math.max(line + 1, Number.parseInt(r, 10) || 0)
    column = 0
    cells = []
  }
  const closeRow = (name: string) => {
    if (name === 'row' && cells.length > 0) found.push({ line, cells })
  }
  return textCollector('c', addCell, { open: openRow, close: closeRow })
}

const columnOf = (reference: string) =>
  [...reference.replace(/[^A-Z]/gi, '').toUpperCase()].reduce(
    (column, letter) => column * 26 + letter.charCodeAt(0) - 64,
    0,
  )

const cellText = (text: string, type: string, style: number, { shared, formats }: SharedParts) => {
  if (type === 's') return shared[Number(text)] || undefined
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formats[style]?.(text) ?? text
  return unescapeText(text)
}
