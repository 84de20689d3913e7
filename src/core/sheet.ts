import { type DisplayTable, formatCells, type ValueFormat } from './display.ts'
import { zip } from './zip.ts'

/** The maximum number of rows in a sheet, including the header. */
const maxRows = 1_048_576
const maxTextLength = 32_767

/**
 * Writes a table as a workbook with one sheet (`.xlsx`, ECMA-376). Holds the compressed bytes in memory, but not the records. Times
 * are in `timeZone`, by default the zone of this machine.
 */
export const displaySheet = (table: DisplayTable, timeZone?: string) => {
  const title = escapeXml(table.title.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31))
  return zip({
    '[Content_Types].xml': `${xmlDeclaration}<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${contentType('workbook', 'sheet.main')}${contentType('worksheets/sheet1', 'worksheet')}${contentType('styles', 'styles')}</Types>`,
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${xmlDeclaration}<workbook ${main} xmlns:r="${office}/relationships"><sheets><sheet name="${title}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      Object.entries({ worksheet: 'worksheets/sheet1.xml', styles: 'styles.xml' }),
    ),
    'xl/styles.xml': styles,
    'xl/worksheets/sheet1.xml': rowsOf(table, timeZone),
  })
}

const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const schemas = 'http://schemas.openxmlformats.org'
const office = `${schemas}/officeDocument/2006`
const main = `xmlns="${schemas}/spreadsheetml/2006/main"`

const contentType = (part: string, type: string) =>
  `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`

const relationships = (parts: readonly (readonly [type: string, target: string])[]) => {
  const one = ([type, target]: (typeof parts)[number], at: number) =>
    `<Relationship Id="rId${at + 1}" Type="${office}/relationships/${type}" Target="${target}"/>`
  return `${xmlDeclaration}<Relationships xmlns="${schemas}/package/2006/relationships">${parts.map(one).join('')}</Relationships>`
}

/** The header is bold. The built-in formats 14 and 22 show dates and times in the style of the reader's country. */
const cellStyles = { head: 1, day: 2, time: 3 }
const font = '<sz val="11"/><name val="Calibri"/>'
const styles = `${xmlDeclaration}<styleSheet ${main}><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>`

/** The widths of columns in characters, by the kind of their field. */
const widths: Readonly<Record<string, number>> = { day: 12, time: 18, whole: 10, flag: 10, id: 38 }

async function* rowsOf({ columns, batches, nameOf }: DisplayTable, timeZone: string | undefined) {
  const format = cellFormatIn(timeZone, nameOf)
  const letters = columns.map((_, at) => columnLettersOf(at))
  // The text of a cell begins after the attribute `r` of its tag, and ends before its closing tag.
  const cellOf = (cell: string | undefined, at: number, row: number) =>
    cell === undefined ? '' : `<c r="${letters[at]}${row}"${cell}</c>`
  const rowOf = (cells: readonly (string | undefined)[], row: number) =>
    `<row r="${row}">${cells.map((cell, at) => cellOf(cell, at, row)).join('')}</row>`
  const widthOf = ({ kind }: DisplayTable['columns'][number], at: number) =>
    `<col min="${at + 1}" max="${at + 1}" width="${widths[kind] ?? 24}" customWidth="1"/>`
  const headerCells = columns.map(({ label }) => ` s="${cellStyles.head}"${format.text(label)}`)
  yield `${xmlDeclaration}<worksheet ${main}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
  yield `<cols>${columns.map(widthOf).join('')}</cols><sheetData>${rowOf(headerCells, 1)}`
  let row = 1
  for await (const batch of batches) {
    if (row + batch.length > maxRows) throw new RangeError(`A sheet holds ${maxRows} rows: choose CSV.`)
    yield batch.map((record) => rowOf(formatCells(columns, record, format), ++row)).join('')
  }
  yield '</sheetData></worksheet>'
}

/** A, B, … Z, AA, AB, … */
const columnLettersOf = (at: number): string =>
  (at < 26 ? '' : columnLettersOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))

const cellFormatIn = (
  timeZone: string | undefined,
  nameOf: ValueFormat<string>['nameOf'],
): ValueFormat<string> => {
  // The Swedish format is 2026-11-30 10:15:00.
  const clock = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone })
  return {
    nameOf,
    text: (text) => {
      if (text.length > maxTextLength)
        throw new RangeError(`A cell of a sheet holds ${maxTextLength} characters: choose CSV.`)
      return ` t="inlineStr"><is><t xml:space="preserve">${escapeXml(text.replace(likeEscaped, '_x005F_'))}</t></is>`
    },
    whole: (number) => `><v>${number}</v>`,
    day: (day) => dateCell(day, cellStyles.day),
    time: (instant) => dateCell(`${clock.format(new Date(instant)).replace(' ', 'T')}Z`, cellStyles.time),
  }
}

/** A sheet would read `_x0041_` as A. */
const likeEscaped = /_(?=x[0-9a-f]{4}_)/gi

/** Sheets count days from the end of 1899, and get the days before March 1900 wrong, so those are written as text. */
const dateCell = (text: string, styleIndex: number) => {
  const days = Date.parse(text) / 86_400_000 + 25_569
  return days < 61 ? ` t="inlineStr"><is><t>${text}</t></is>` : ` s="${styleIndex}"><v>${days}</v>`
}

const escapeXml = (text: string) => text.replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`)
