import type { Value } from '#sql/query.ts'

const firstBytes = 4_096

/** A buffer that has grown larger than this is released. */
const maxKeptBytes = 65_536

export type Outgoing = ReturnType<typeof outgoing>

/**
 * Collects messages to the server, which are then sent together
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
export const outgoing = () => {
  let buffer = Buffer.allocUnsafe(firstBytes)
  let at = 0

  const reserve = (bytes: number) => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const message = (type: string, body: () => void) => {
    reserve(16)
    if (type !== '') buffer[at++] = type.charCodeAt(0)
    const start = at
    at += 4
    body()
    buffer.writeInt32BE(at - start, start)
  }
  const int16 = (value: number) => {
    reserve(2)
    at = buffer.writeUInt16BE(value, at)
  }
  const int32 = (value: number) => {
    reserve(4)
    at = buffer.writeInt32BE(value, at)
  }
  /** A UTF-16 code unit takes at most three bytes in UTF-8. */
  const characters = (text: string) => {
    reserve(text.length * 3)
    at += buffer.write(text, at, 'utf8')
  }
  const text = (value: string) => {
    characters(value)
    reserve(1)
    buffer[at++] = 0
  }
  const sizedText = (value: string) => {
    reserve(4)
    const sizeAt = at
    at += 4
    characters(value)
    buffer.writeInt32BE(at - sizeAt - 4, sizeAt)
  }

  return {
    length: () => at,

    truncate(length: number) {
      at = length
    },

    startup: (parameters: Readonly<Record<string, string>>) =>
      message('', () => {
        int32(protocolVersion)
        for (const part of Object.entries(parameters).flat()) text(part)
        text('')
      }),

    password: (value: string) => message('p', () => text(value)),

    saslInitialResponse: (mechanism: string, value: string) =>
      message('p', () => {
        text(mechanism)
        sizedText(value)
      }),

    saslResponse: (value: string) => message('p', () => characters(value)),

    /** Prepares a statement. The server infers the parameter types, except that of bytes, which it would infer wrong. */
    prepare(name: string, statement: string, values: readonly Value[]) {
      message('P', () => {
        text(name)
        text(statement)
        int16(values.length)
        for (const value of values) int32(value instanceof Uint8Array ? byteaType : 0)
      })
      message('D', () => text(`S${name}`))
    },

    /** Closes the prepared statement of this name, if there is one. */
    close: (name: string) => message('C', () => text(`S${name}`)),

    /** Runs a prepared statement. All parameters and results are in text format. */
    execute(name: string, values: readonly Value[]) {
      message('B', () => {
        text('')
        text(name)
        int16(0)
        int16(values.length)
        for (const value of values) {
          if (value === null) int32(-1)
          else sizedText(textFormatOf(value))
        }
        int16(0)
      })
      message('E', () => {
        text('')
        int32(0)
      })
    },

    sync: () => message('S', () => {}),

    simpleQuery: (statements: string) => message('Q', () => text(statements)),

    terminate: () => message('X', () => {}),

    /** Takes the collected messages. Returns a copy, because later messages overwrite the buffer. */
    take(): Buffer {
      const taken = Buffer.from(buffer.subarray(0, at))
      at = 0
      if (buffer.length > maxKeptBytes) buffer = Buffer.allocUnsafe(firstBytes)
      return taken
    },
  }
}

const protocolVersion = 0x30000
const byteaType = 17

const textFormatOf = (value: Exclude<Value, null>): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (typeof value === 'number') return String(value)
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
}
