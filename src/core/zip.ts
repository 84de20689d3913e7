/** Writes a zip archive. Each file is compressed before its header is written, because the header contains the sizes. */
export async function* zip(files: Readonly<Record<string, string | AsyncIterable<string>>>) {
  const directory: number[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const packed = await gzip(typeof text === 'string' ? [text] : text)
    const encodedName = new TextEncoder().encode(name)
    const content = packed.subarray(10, -8)
    // Version 2.0, UTF-8, deflated, on 1 January 1980. Gzip ends with the checksum and the unpacked size.
    const flags = bytes16(20, 0x800, 8, 0, 0x21)
    const sizes = [...packed.subarray(-8, -4), ...bytes16(...halves(content.length)), ...packed.subarray(-4)]
    const fields = [...flags, ...sizes, ...bytes16(encodedName.length, 0)]
    const header = Uint8Array.of(...bytes16(0x4b50, 0x403), ...fields, ...encodedName)
    yield header
    yield content
    directory.push(
      ...bytes16(0x4b50, 0x201, 20),
      ...fields,
      ...bytes16(0, 0, 0, 0, 0, ...halves(offset)),
      ...encodedName,
    )
    offset += header.length + content.length
  }
  const count = Object.keys(files).length
  const sizes = [...halves(directory.length), ...halves(offset)]
  const end = bytes16(0x4b50, 0x605, 0, 0, count, count, ...sizes, 0)
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
const bytes16 = (...numbers: readonly number[]) => numbers.flatMap((number) => [number & 255, number >> 8])

const halves = (number: number) => [number & 0xffff, number >>> 16]
