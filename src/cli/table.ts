import { escapeControls, print } from './output.ts'

type Rows = readonly (readonly string[])[]

/** Rows below a header, in columns that are as wide as their widest text. */
export const table = (names: readonly string[], rows: Rows): string =>
  alignCells(names, unlimited)([headerOf(names), ...rows])

/**
 * Prints items that may not fit in memory, one batch at a time. Each column is as wide as its widest text so far. At a
 * terminal, texts are shortened so that a line fits; programs get the complete texts.
 */
export const printTable = async <T>(
  names: readonly string[],
  batches: AsyncIterable<readonly T[]>,
  rowOf: (item: T) => readonly string[],
) => {
  const { isTTY, columns } = process.stdout
  // A terminal whose width is unknown reports 0.
  const align = alignCells(names, (isTTY && columns) || unlimited)
  let header: Rows = [headerOf(names)]
  for await (const batch of batches) {
    const rows = [...header, ...batch.map(rowOf)]
    header = []
    if (rows.length > 0) await print(align(rows))
  }
}

const unlimited = Number.POSITIVE_INFINITY

const headerOf = (names: readonly string[]) => names.map((name) => name.toUpperCase())

const gap = '  '

const alignCells = (names: readonly string[], lineWidth: number) => {
  const widest = names.map(() => 0)
  return (addedRows: Rows): string => {
    const rows = addedRows.map((row) => row.map(escapeControls))
    for (const row of rows)
      for (const [column, text] of row.entries())
        widest[column] = Math.max(widest[column] ?? 0, displayWidth(text))
    const widths = fitWidths(names, widest, lineWidth)
    const fitCell = (text: string, column: number) => fit(text, widths[column] ?? 0)
    return rows.map((row) => row.map(fitCell).join(gap).trimEnd()).join('\n')
  }
}

/** The minimum width of a column, so that its texts stay readable. In a very narrow terminal, lines are therefore too long. */
const minWidth = 8

/** The column widths with which lines fit. The widest columns shrink first. Ids are never shortened, because people copy them. */
const fitWidths = (names: readonly string[], widest: readonly number[], lineWidth: number) => {
  const availableWidth = lineWidth - gap.length * (widest.length - 1)
  for (let limit = Math.max(...widest); ; limit--) {
    const widths = widest.map((width, at) => (names[at] === 'id' ? width : Math.min(width, limit)))
    if (limit <= minWidth || widths.reduce((sum, width) => sum + width, 0) <= availableWidth) return widths
  }
}

/** Pads or shortens a text to this width. */
const fit = (text: string, width: number): string => {
  const spare = width - displayWidth(text)
  if (spare >= 0) return text + ' '.repeat(spare)
  let shortened = ''
  for (const character of text) {
    if (displayWidth(shortened + character) >= width) break
    shortened += character
  }
  return `${shortened}…${' '.repeat(width - 1 - displayWidth(shortened))}`
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu
const combining = /[\p{Mn}\p{Me}\u200b-\u200d]/gu

/** A terminal shows wide characters in two cells, and combining ones in the cell of the character before. */
const displayWidth = (text: string) => {
  const shown = text.replace(combining, '')
  return [...shown].length + (shown.match(wide)?.length ?? 0)
}
