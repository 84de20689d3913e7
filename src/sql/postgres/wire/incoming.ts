/** Is told of each message: its type, and where its body stands in the bytes. */
export type Receive = (type: number, bytes: Buffer, from: number, to: number) => void

const headBytes = 5

/** Cuts what comes from the server into messages. */
export const incoming = (receive: Receive) => {
  let rest: Buffer | undefined

  return (chunk: Buffer) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= headBytes) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) break
      receive(bytes[at] ?? 0, bytes, at + headBytes, end)
      at = end
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}

/** A text that ends with a zero, and where the next begins. */
export const textAt = (bytes: Buffer, from: number): readonly [string, number] => {
  const end = bytes.indexOf(0, from)
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
