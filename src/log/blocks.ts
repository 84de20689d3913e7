/** Lines as bytes, on their way out. */
interface Block {
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
  let heldBytes = 0
  let filling = fresh(blockBytes)

  const begin = (mostBytes: number) => {
    full.push(filling)
    filling = (mostBytes > blockBytes ? undefined : spare.pop()) ?? fresh(Math.max(mostBytes, blockBytes))
  }

  return {
    /** Of all that is held, also while it is written: until it is given back. */
    get sizeBytes() {
      return heldBytes
    },
    add(text: string, lines: number) {
      const mostBytes = text.length * mostBytesOfOne
      if (mostBytes > filling.bytes.length - filling.sizeBytes) begin(mostBytes)
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
    giveBack({ bytes, sizeBytes }: Block) {
      heldBytes -= sizeBytes
      if (bytes.length === blockBytes && spare.length < mostSpare) spare.push(emptied(bytes))
    },
  }
}

const emptied = (bytes: Buffer): Block => ({ bytes, sizeBytes: 0, lines: 0 })

const fresh = (bytes: number) => emptied(Buffer.allocUnsafeSlow(bytes))
