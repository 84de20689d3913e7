/** Writes a zip archive. Each file is compressed first, because its header contains the sizes. */
export async function* zip(files: Readonly<Record<string, string | AsyncIterable<string>>>) {
  const directory: number[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const packed = await gzipped(typeof text === 'string' ? [text] : text)
    const letters = new TextEncoder().encode(name)
    const content = packed.subarray(10, -8)
    // Version 2.0, UTF-8, deflated, on 1 January 1980. Gzip ends with the checksum and the unpacked size.
    const kind = bytesOf(20, 0x800, 8, 0, 0x21)
    const sizes = [...packed.subarray(-8, -4), ...bytesOf(...halves(content.length)), ...packed.subarray(-4)]
    const about = [...kind, ...sizes, ...bytesOf(letters.length, 0)]
    const header = Uint8Array.of(...bytesOf(0x4b50, 0x403), ...about, ...letters)
    yield header
    yield content
    directory.push(
      ...bytesOf(0x4b50, 0x201, 20),
      ...about,
      ...bytesOf(0, 0, 0, 0, 0, ...halves(at)),
      ...letters,
    )
    at += header.length + content.length
  }
  const count = Object.keys(files).length
  const end = bytesOf(0x4b50, 0x605, 0, 0, count, count, ...halves(directory.length), ...halves(at), 0)
  yield Uint8Array.of(...directory, ...end)
}

/** Node and browsers have gzip. A zip archive contains the same without the 10 bytes before and the 8 after it (RFC 1952). */
const gzipped = async (texts: Iterable<string> | AsyncIterable<string>) => {
  const { readable, writable } = new CompressionStream('gzip')
  const writer = writable.getWriter()
  const write = async () => {
    for await (const text of texts) await writer.write(new TextEncoder().encode(text))
    await writer.close()
  }
  // The reader gets the error.
  write().catch((error) => writer.abort(error).catch(() => undefined))
  return new Uint8Array(await new Response(readable).arrayBuffer())
}

/** Numbers of 16 bits as bytes, the lower one first. */
const bytesOf = (...numbers: readonly number[]) => numbers.flatMap((number) => [number & 255, number >> 8])

const halves = (number: number) => [number & 0xffff, number >>> 16]
