import { describeTarget as postgresPlaceOf } from '#sql/postgres/wire/url.ts'

/** Writes the result of a command to standard output. */
export const print = (text: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve())
  })

/** A number with separators, such as 12,345. */
export const formatCount = (count: number) => count.toLocaleString('en')

/** Writes a remark to standard error. At a terminal, the remark replaces a progress bar. */
export const printNote = (text: string) =>
  void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${escapeLines(text)}\n`)

/** Escapes characters that would move the cursor or change the direction of the text after them. */
export const escapeControls = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Escapes the same characters in each line of a text, which may quote a file or a server. */
export const escapeLines = (text: string) => text.split('\n').map(escapeControls).join('\n')

/** A value as one line of JSON that is safe to show at a terminal and still parses to the same value. */
export const jsonLine = (value: unknown) => escapeControls(JSON.stringify(value))

/** Prints a value as JSON: on several lines for people, on one for programs. */
export const printJson = (value: unknown, isForProgram = false) =>
  print(escapeLines(JSON.stringify(value, undefined, isForProgram ? undefined : 2)))

export const printJsonLines = async (batches: AsyncIterable<readonly object[]>) => {
  for await (const batch of batches) for (const item of batch) await print(jsonLine(item))
}

/** The URL without its password. For PostgreSQL also the host, port and database, completed by libpq's variables. */
export const describeDatabase = (url: string) =>
  url.startsWith('postgres') ? `${withoutPassword(url)} (${postgresPlaceOf(url)})` : withoutPassword(url)

/** A database URL with its password masked. */
export const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/@]*):.*@/, '$1:***@').replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***')
