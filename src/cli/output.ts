/** Writes what a command found to the standard output. */
export const print = (text: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve())
  })

export const note = (text: string) => void process.stderr.write(`${visibleLines(text)}\n`)

/** Characters that would move the cursor, or turn the order of those behind them, become their escapes. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The same of several lines: they may quote a file or what a server said. */
export const visibleLines = (text: string) => text.split('\n').map(visible).join('\n')

/** A value on one line of JSON, which a terminal shows as it stands and a program reads as it was. */
export const jsonLine = (value: unknown) => visible(JSON.stringify(value))

/** Rows below their names, each column as wide as its widest text. */
export const table = (names: readonly string[], given: readonly (readonly string[])[]): string => {
  const rows = given.map((row) => row.map(visible))
  const widths = names.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(displayWidth)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - displayWidth(text)))
      .join('  ')
      .trimEnd()
  return [names.map((name) => name.toUpperCase()), ...rows].map(line).join('\n')
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu

/** A terminal gives such characters two places. */
const displayWidth = (text: string) => [...text].length + (text.match(wide)?.length ?? 0)
