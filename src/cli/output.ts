import { placeOf as postgresPlaceOf } from '#sql/postgres/wire/url.ts'

/** Writes the result of a command to standard output. */
export const print = (text: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve())
  })

/** A number as people read it, such as 12,345. */
export const withSeparators = (count: number) => count.toLocaleString('en')

/** Writes a remark to standard error. At a terminal, it replaces a progress bar. */
export const note = (text: string) =>
  void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${escapeLines(text)}\n`)

/** Escapes characters that would move the cursor or change the direction of the text after them. */
export const visible = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The same for several lines, which may quote a file or a server. */
export const escapeLines = (text: string) => text.split('\n').map(visible).join('\n')

/** A value as one line of JSON that is safe to show at a terminal and still parses to the same value. */
export const jsonLine = (value: unknown) => visible(JSON.stringify(value))

/** Prints a value as JSON: on several lines for people, on one for programs. */
export const printJson = (value: unknown, isForProgram = false) =>
  print(escapeLines(JSON.stringify(value, undefined, isForProgram ? undefined : 2)))

/** Prints items as JSON, one per line. */
export const printLines = async (batches: AsyncIterable<readonly object[]>) => {
  for await (const batch of batches) for (const item of batch) await print(jsonLine(item))
}

/** The URL without its password and, on PostgreSQL, the place that it means together with the variables of libpq. */
export const targetOf = (url: string) =>
  url.startsWith('postgres') ? `${withoutPassword(url)} (${postgresPlaceOf(url)})` : withoutPassword(url)

/** A database URL that may be shown. */
export const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/@]*):.*@/, '$1:***@').replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***')
