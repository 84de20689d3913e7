/** Log lines as bytes, waiting to be written. */
interface Block {
  readonly bytes: Buffer
  sizeBytes: number
  lines: number
}

const blockBytes = 64 * 1024
/** One is filled while another is written. */
const maxSpare = 2
/** The most bytes that one UTF-16 code unit takes in UTF-8. */
const maxBytesPerUnit = 3

/**
 * Buffers are allocated outside the heap, and many such allocations make V8 run a full garbage collection. Blocks are
 * therefore reused once written, so that a busy log allocates none.
 */
export const logBlocks = () => {
  const spare: Block[] = []
  let full: Block[] = []
  let heldBytes = 0
  let filling = newBlock(blockBytes)

  const begin = (maxBytes: number) => {
    full.push(filling)
    filling = (maxBytes > blockBytes ? undefined : spare.pop()) ?? newBlock(Math.max(maxBytes, blockBytes))
  }

  return {
    /** The bytes of all blocks, including those being written, until they are released. */
    get sizeBytes() {
      return heldBytes
    },
    add(text: string, lines: number) {
      const maxBytes = text.length * maxBytesPerUnit
      if (maxBytes > filling.bytes.length - filling.sizeBytes) begin(maxBytes)
      const writtenBytes = filling.bytes.write(text, filling.sizeBytes)
      filling.sizeBytes += writtenBytes
      filling.lines += lines
      heldBytes += writtenBytes
    },
    take(): readonly Block[] {
      begin(0)
      const taken = full
      full = []
      return taken
    },
    release({ bytes, sizeBytes }: Block) {
      heldBytes -= sizeBytes
      if (bytes.length === blockBytes && spare.length < maxSpare) spare.push(emptyBlock(bytes))
    },
  }
}

const emptyBlock = (bytes: Buffer): Block => ({ bytes, sizeBytes: 0, lines: 0 })

const newBlock = (bytes: number) => emptyBlock(Buffer.allocUnsafeSlow(bytes))
