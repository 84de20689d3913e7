import { print, visible } from './output.ts'

type Rows = readonly (readonly string[])[]

/** A table of rows below a header. Each column is as wide as its widest text. */
export const table = (names: readonly string[], rows: Rows): string =>
  alignCells(names, unlimited)([headOf(names), ...rows])

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
  // A terminal that does not know its width reports 0.
  const lines = alignCells(names, (isTTY && columns) || unlimited)
  let head: Rows = [headOf(names)]
  for await (const batch of batches) {
    const rows = [...head, ...batch.map(rowOf)]
    head = []
    if (rows.length > 0) await print(lines(rows))
  }
}

const unlimited = Number.POSITIVE_INFINITY

const headOf = (names: readonly string[]) => names.map((name) => name.toUpperCase())

const gap = '  '

const alignCells = (names: readonly string[], lineWidth: number) => {
  const widest = names.map(() => 0)
  return (given: Rows): string => {
    const rows = given.map((row) => row.map(visible))
    for (const row of rows)
      for (const [column, text] of row.entries())
        widest[column] = Math.max(widest[column] ?? 0, displayWidth(text))
    const widths = fitWidths(names, widest, lineWidth)
    const cell = (text: string, column: number) => fit(text, widths[column] ?? 0)
    return rows.map((row) => row.map(cell).join(gap).trimEnd()).join('\n')
  }
}

/** The minimum width of a column, so that it stays readable. In a very narrow terminal, lines therefore do not fit. */
const minWidth = 8

/** Column widths with which a line fits. The widest columns shrink first. An id stays whole, because people copy it. */
const fitWidths = (names: readonly string[], widest: readonly number[], lineWidth: number) => {
  const room = lineWidth - gap.length * (widest.length - 1)
  for (let limit = Math.max(...widest); ; limit--) {
    const widths = widest.map((width, at) => (names[at] === 'id' ? width : Math.min(width, limit)))
    if (limit <= minWidth || widths.reduce((sum, width) => sum + width, 0) <= room) return widths
  }
}

/** Pads or shortens a text to this width. */
const fit = (text: string, width: number): string => {
  const spare = width - displayWidth(text)
  if (spare >= 0) return text + ' '.repeat(spare)
  let kept = ''
  for (const character of text) {
    if (displayWidth(kept + character) >= width) break
    kept += character
  }
  return `${kept}…${' '.repeat(width - 1 - displayWidth(kept))}`
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu
const combining = /[\p{Mn}\p{Me}\u200b-\u200d]/gu

/** A terminal shows wide characters in two cells, and combining ones in the cell of the character before. */
const displayWidth = (text: string) => {
  const shown = text.replace(combining, '')
  return [...shown].length + (shown.match(wide)?.length ?? 0)
}
