/** Lines as bytes, on their way out. */
export interface Block {
  readonly bytes: Buffer
  sizeBytes: number
  lines: number
}

const blockBytes = 64 * 1024
/** One is filled while another is written. */
const mostSpare = 2
/** UTF-8 makes no more of what JavaScript counts as one. */
const mostBytesOfOne = 3

/**
 * Bytes lie outside the heap, and V8 collects all of it when many have been taken there: what has been written is
 * filled again, so that a busy log takes none.
 */
export const logBlocks = () => {
  const spare: Block[] = []
  let full: Block[] = []
  let fullBytes = 0
  let filling = fresh(blockBytes)

  const begin = (mostBytes: number) => {
    full.push(filling)
    fullBytes += filling.sizeBytes
    filling = (mostBytes > blockBytes ? undefined : spare.pop()) ?? fresh(Math.max(mostBytes, blockBytes))
  }

  return {
    get sizeBytes() {
      return fullBytes + filling.sizeBytes
    },
    add(text: string, lines: number) {
      const mostBytes = text.length * mostBytesOfOne
      if (mostBytes > filling.bytes.length - filling.sizeBytes) begin(mostBytes)
      filling.sizeBytes += filling.bytes.write(text, filling.sizeBytes)
      filling.lines += lines
    },
    take(): readonly Block[] {
      begin(0)
      const taken = full
      full = []
      fullBytes = 0
      return taken
    },
    giveBack({ bytes }: Block) {
      if (bytes.length === blockBytes && spare.length < mostSpare) spare.push(emptied(bytes))
    },
  }
}

const emptied = (bytes: Buffer): Block => ({ bytes, sizeBytes: 0, lines: 0 })

const fresh = (bytes: number) => emptied(Buffer.allocUnsafeSlow(bytes))
