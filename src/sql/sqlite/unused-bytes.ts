import { fsync, read, write } from 'node:fs'
import { promisify } from 'node:util'

const [readAt, writeAt, syncFile] = [promisify(read), promisify(write), promisify(fsync)]

const pagesAtATime = 256
/** In a larger file, the first byte of an overflow page may look like the first byte of a b-tree page. */
const maxPages = 2 ** 25

/**
 * Overwrites the unused bytes of a database file with zeros (https://sqlite.org/fileformat2.html). `secure_delete` overwrites
 * deleted rows, but not the copies of rows that stay behind when a page is split. All content must be in the file, and nobody
 * else may write to the file. Being interrupted at any byte does no harm.
 */
export const overwriteUnusedBytes = async (file: number) => {
  const header = Buffer.alloc(firstHeaderBytes)
  await readAt(file, header, 0, header.length, 0)
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  const isAutoVacuumed = header.readUInt32BE(52) !== 0
  if (pages >= maxPages || isAutoVacuumed) return
  const zeros = Buffer.alloc(pageBytes)
  const pageOf = async (number: number) => {
    const page = Buffer.alloc(pageBytes)
    await readAt(file, page, 0, pageBytes, (number - 1) * pageBytes)
    return page
  }

  const isFreePage = new Uint8Array(pages + 1)
  /** For each trunk page of the list of free pages, how many of its bytes are in use. */
  const usedBytesOfTrunk = new Map<number, number>()
  let trunk = header.readUInt32BE(32)
  while (trunk > 0 && trunk <= pages && !usedBytesOfTrunk.has(trunk)) {
    const page = await pageOf(trunk)
    const count = Math.min(page.readUInt32BE(4), pageBytes / 4 - 2)
    for (let at = 0; at < count; at++) isFreePage[page.readUInt32BE(8 + 4 * at)] = 1
    usedBytesOfTrunk.set(trunk, 8 + 4 * count)
    trunk = page.readUInt32BE(0)
  }

  const buffer = Buffer.alloc(pageBytes * pagesAtATime)
  for (let first = 1; first <= pages; first += pagesAtATime) {
    const { bytesRead } = await readAt(file, buffer, 0, buffer.length, (first - 1) * pageBytes)
    for (let at = 0; at + pageBytes <= bytesRead; at += pageBytes) {
      const [page, number] = [buffer.subarray(at, at + pageBytes), first + at / pageBytes]
      const end = isFreePage[number] ? 0 : usedBytesOfTrunk.get(number)
      const unused =
        end === undefined
          ? unusedRangesOf(page, number === 1 ? firstHeaderBytes : 0)
          : [[end, pageBytes] as const]
      for (const [from, to] of unused)
        if (!page.subarray(from, to).equals(zeros.subarray(from, to)))
          await writeAt(file, zeros, 0, to - from, (number - 1) * pageBytes + from)
    }
  }
  await syncFile(file)
}

/** The file header, which precedes the page header in the first page. */
const firstHeaderBytes = 100

type Range = readonly [from: number, to: number]

/** The size of a b-tree page's header, by its first byte. No other page begins with one of these bytes. */
const pageHeaderBytes: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }

/** The ranges between cell pointers and cells, and in the free blocks among the cells. */
const unusedRangesOf = (page: Buffer, at: number): readonly Range[] => {
  const headerBytes = pageHeaderBytes[page[at] ?? 0]
  if (headerBytes === undefined) return []
  const from = at + headerBytes + 2 * page.readUInt16BE(at + 3)
  const to = page.readUInt16BE(at + 5) || page.length
  if (from > to || to > page.length) return []
  const ranges: Range[] = [[from, to]]
  let block = page.readUInt16BE(at + 1)
  while (block >= to && block + freeBlockHeaderBytes <= page.length) {
    const [next, bytes] = [page.readUInt16BE(block), page.readUInt16BE(block + 2)]
    if (bytes < freeBlockHeaderBytes || block + bytes > page.length) break
    ranges.push([block + freeBlockHeaderBytes, block + bytes])
    if (next <= block) break
    block = next
  }
  return ranges
}

const freeBlockHeaderBytes = 4
