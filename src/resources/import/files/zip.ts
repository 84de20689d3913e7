import { crc32, createInflateRaw } from 'node:zlib'
import { FileRefused } from './refused.ts'

const directoryEndSignature = 'PK\u0005\u0006'
const entrySignature = 0x02014b50
const partSignature = 0x04034b50
const [stored, deflated] = [0, 8]
const pieceBytes = 16 * 1024

/** Limits against zip bombs: total unpacked bytes, and their ratio to the size of the archive. */
const maxUnpackedBytes = 512 * 1024 ** 2
const maxRatio = 250
const alwaysAllowedBytes = 16 * 1024 ** 2

/** A zip archive that is held in memory. Its parts are unpacked in pieces. */
export class Zip {
  readonly #bytes: Buffer
  /** The offset of each part's directory entry. The sizes are read there, because the header before a part's data may lack them. */
  readonly #entries = new Map<string, number>()
  #unpackedBytes = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    try {
      this.#readDirectory()
    } catch (error) {
      throw asFileRefused(error)
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** The text of a part, which is UTF-8. */
  async *text(name: string): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const entry = this.#entries.get(name.toLowerCase()) ?? Number.NaN
    let crc = 0
    try {
      for await (const bytes of this.#unpacked(entry)) {
        crc = crc32(bytes, crc)
        yield decoder.decode(bytes, { stream: true })
      }
      if (crc !== this.#bytes.readUInt32LE(entry + 16)) throw new FileRefused('damaged')
    } catch (error) {
      throw asFileRefused(error)
    }
  }

  #readDirectory() {
    const bytes = this.#bytes
    const end = bytes.lastIndexOf(directoryEndSignature, bytes.length, 'latin1')
    if (end < 0) throw new FileRefused('damaged')
    const count = bytes.readUInt16LE(end + 10)
    let at = bytes.readUInt32LE(end + 16)
    if (count === 0xffff || at === 0xffffffff) throw new FileRefused('zip64')
    for (let nth = 0; nth < count; nth++) {
      if (bytes.readUInt32LE(at) !== entrySignature) throw new FileRefused('damaged')
      const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
      this.#entries.set(
        bytes
          .toString('utf8', at + 46, nameEnd)
          .replaceAll('\\', '/')
          .toLowerCase(),
        at,
      )
      at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    }
  }

  async *#unpacked(entry: number): AsyncGenerator<Buffer> {
    const bytes = this.#bytes
    const [flags, method] = [bytes.readUInt16LE(entry + 8), bytes.readUInt16LE(entry + 10)]
    const [packedBytes, at] = [bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 42)]
    if (flags & 1) throw new FileRefused('protected')
    if (packedBytes === 0xffffffff || at === 0xffffffff) throw new FileRefused('zip64')
    if (bytes.readUInt32LE(at) !== partSignature || (method !== stored && method !== deflated))
      throw new FileRefused('damaged')
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    const packed = bytes.subarray(begin, begin + packedBytes)
    if (method === deflated) yield* this.#inflated(packed)
    else
      for (let from = 0; from < packedBytes; from += pieceBytes)
        yield packed.subarray(from, from + pieceBytes)
  }

  async *#inflated(packed: Buffer): AsyncGenerator<Buffer> {
    const limitBytes = Math.min(maxUnpackedBytes, Math.max(alwaysAllowedBytes, this.#bytes.length * maxRatio))
    const inflate = createInflateRaw()
    inflate.end(packed)
    for await (const piece of inflate) {
      this.#unpackedBytes += piece.length
      if (this.#unpackedBytes > limitBytes) throw new FileRefused('unpacked')
      yield piece
    }
  }
}

/** Any other error, such as an offset beyond the archive, invalid compressed data or text that is not UTF-8, means that the file is damaged. */
const asFileRefused = (error: unknown) => (error instanceof FileRefused ? error : new FileRefused('damaged'))
