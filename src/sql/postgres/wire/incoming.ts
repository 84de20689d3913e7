/** Is told of each message: its type, and where its body stands in the bytes. */
type Receive = (type: number, bytes: Buffer, from: number, to: number) => void

const headBytes = 5

/** A size counts itself. PostgreSQL sends nothing larger than a gibibyte. */
const smallestSize = 4
const largestSize = 2 ** 30

/** Cuts what comes from the server into messages; throws at what is none. */
export const incoming = (receive: Receive) => {
  let rest: Buffer | undefined

  return (chunk: Buffer) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= headBytes) {
      const size = bytes.readInt32BE(at + 1)
      if (size < smallestSize || size > largestSize) throw torn()
      const end = at + 1 + size
      if (end > bytes.length) break
      receive(bytes[at] ?? 0, bytes, at + headBytes, end)
      at = end
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}

const torn = () => new Error('what the server sent is no message of PostgreSQL')

/** A text that ends with a zero, and where the next begins. */
export const textAt = (bytes: Buffer, from: number): readonly [string, number] => {
  const end = bytes.indexOf(0, from)
  if (end < 0) throw torn()
  return [bytes.toString('utf8', from, end), end + 1]
}

/** The fields of an error or a notice, by their letters. */
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
