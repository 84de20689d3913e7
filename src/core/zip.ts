/** Writes a zip archive. Each file is compressed before its header is written, because the header contains the sizes. */
export async function* zip(files: Readonly<Record<string, string | AsyncIterable<string>>>) {
  const directory: number[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const packed = await gzip(typeof text === 'string' ? [text] : text)
    const letters = new TextEncoder().encode(name)
    const content = packed.subarray(10, -8)
    // Version 2.0, UTF-8, deflated, on 1 January 1980. Gzip ends with the checksum and the unpacked size.
    const kind = littleEndian16(20, 0x800, 8, 0, 0x21)
    const sizes = [
      ...packed.subarray(-8, -4),
      ...littleEndian16(...wordsOf32Bits(content.length)),
      ...packed.subarray(-4),
    ]
    const about = [...kind, ...sizes, ...littleEndian16(letters.length, 0)]
    const header = Uint8Array.of(...littleEndian16(0x4b50, 0x403), ...about, ...letters)
    yield header
    yield content
    directory.push(
      ...littleEndian16(0x4b50, 0x201, 20),
      ...about,
      ...littleEndian16(0, 0, 0, 0, 0, ...wordsOf32Bits(at)),
      ...letters,
    )
    at += header.length + content.length
  }
  const count = Object.keys(files).length
  const end = littleEndian16(
    0x4b50,
    0x605,
    0,
    0,
    count,
    count,
    ...wordsOf32Bits(directory.length),
    ...wordsOf32Bits(at),
    0,
  )
  yield Uint8Array.of(...directory, ...end)
}

/** Node and browsers offer gzip. A zip archive contains the same stream without its header of 10 bytes and trailer of 8 bytes (RFC 1952). */
const gzip = async (texts: Iterable<string> | AsyncIterable<string>) => {
  const { readable, writable } = new CompressionStream('gzip')
  const writer = writable.getWriter()
  const write = async () => {
    for await (const text of texts) await writer.write(new TextEncoder().encode(text))
    await writer.close()
  }
  // `abort` passes the error on to the reader.
  write().catch((error) => writer.abort(error).catch(() => undefined))
  return new Uint8Array(await new Response(readable).arrayBuffer())
}

/** The bytes of numbers of 16 bits, the lower byte first. */
const littleEndian16 = (...numbers: readonly number[]) =>
  numbers.flatMap((number) => [number & 255, number >> 8])

const wordsOf32Bits = (number: number) => [number & 0xffff, number >>> 16]
