/** Writes the result of a command to standard output. */
export const print = (text: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve())
  })

export const note = (text: string) => void process.stderr.write(`${visibleLines(text)}\n`)

/** Escapes characters that would move the cursor or change the direction of the text after them. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The same for several lines, which may quote a file or a server. */
export const visibleLines = (text: string) => text.split('\n').map(visible).join('\n')

/** A value as one line of JSON that is safe to show at a terminal and still parses to the same value. */
export const jsonLine = (value: unknown) => visible(JSON.stringify(value))

/** Prints items as JSON, one per line. */
export const printLines = async (batches: AsyncIterable<readonly object[]>) => {
  for await (const batch of batches) for (const item of batch) await print(jsonLine(item))
}

type Rows = readonly (readonly string[])[]

/** Rows below a header, each column as wide as its widest text. */
export const table = (names: readonly string[], rows: Rows): string => aligned()([headOf(names), ...rows])

/** Prints items that may not fit in memory, a batch at a time; each column is as wide as its widest text so far. */
export const printTable = async <T>(
  names: readonly string[],
  batches: AsyncIterable<readonly T[]>,
  rowOf: (item: T) => readonly string[],
) => {
  const lines = aligned()
  let head: Rows = [headOf(names)]
  for await (const batch of batches) {
    const rows = [...head, ...batch.map(rowOf)]
    head = []
    if (rows.length > 0) await print(lines(rows))
  }
}

const headOf = (names: readonly string[]) => names.map((name) => name.toUpperCase())

const aligned = () => {
  const widths: number[] = []
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - displayWidth(text)))
      .join('  ')
      .trimEnd()
  return (given: Rows): string => {
    const rows = given.map((row) => row.map(visible))
    for (const row of rows)
      for (const [column, text] of row.entries())
        widths[column] = Math.max(widths[column] ?? 0, displayWidth(text))
    return rows.map(line).join('\n')
  }
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu

/** A terminal shows wide characters in two cells. */
const displayWidth = (text: string) => [...text].length + (text.match(wide)?.length ?? 0)
