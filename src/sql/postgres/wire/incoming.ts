/** Called for each message, with its type and the range of its body. */
type Receive = (type: number, bytes: Buffer, from: number, to: number) => void

const headerBytes = 5

/** The limits of a message's size, which includes the size field. PostgreSQL sends no message larger than a gibibyte. */
const minSize = 4
const maxSize = 2 ** 30

/** Splits the server's bytes into messages. Throws if the bytes are malformed. */
export const messageSplitter = (receive: Receive) => {
  let incompleteMessage: Buffer | undefined

  return (chunk: Buffer) => {
    const bytes = incompleteMessage ? Buffer.concat([incompleteMessage, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= headerBytes) {
      const size = bytes.readInt32BE(at + 1)
      if (size < minSize || size > maxSize) throw malformed()
      const end = at + 1 + size
      if (end > bytes.length) break
      receive(bytes[at] ?? 0, bytes, at + headerBytes, end)
      at = end
    }
    incompleteMessage = at < bytes.length ? bytes.subarray(at) : undefined
  }
}

const malformed = () => new Error('the server sent something that is not a PostgreSQL message')

/** Reads a zero-terminated text. Returns the text and the offset after it. */
export const textAt = (bytes: Buffer, from: number): readonly [string, number] => {
  const end = bytes.indexOf(0, from)
  if (end < 0) throw malformed()
  return [bytes.toString('utf8', from, end), end + 1]
}

/** The fields of an error or a notice, by their one-letter codes. */
export const fieldsAt = (bytes: Buffer, from: number): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {}
  let at = from
  while (bytes[at] !== 0) {
    const letter = String.fromCharCode(bytes[at] ?? 0)
    const [text, next] = textAt(bytes, at + 1)
    fields[letter] = text
    at = next
  }
  return fields
}
