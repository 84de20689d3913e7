import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'
import { logBlocks } from './blocks.ts'

interface LogSink extends DestinationStream {
  /** Lines that were lost because the other end is stuck, full or gone. */
  readonly dropped: number
  /** Gives waiting lines a last chance to be written, but never waits long. */
  close(): Promise<void>
}

interface LogSinkOptions {
  readonly fd: number
  /** How much may wait for an end that is not reading; lines beyond it are dropped. */
  readonly waitingLimitBytes?: number
}

const writeFromBytes = 64 * 1024
/** How much text is joined before it is encoded, while its parts are still in the processor's cache. */
const pieceFullBytes = 4 * 1024
const flushIntervalMs = 250
const lastFlushMs = 500

/** Writes lines to a pipe, a file or a terminal that may be stuck or full: the service never waits for it. */
export const logSink = ({ fd, waitingLimitBytes = 8 * 1024 * 1024 }: LogSinkOptions): LogSink => {
  const end = openEnd(fd)
  const writeFrom = Math.min(writeFromBytes, waitingLimitBytes / 2)
  const blocks = logBlocks()
  let piece = ''
  let pieceBytes = 0
  let pieceLines = 0
  let isWriting = false
  let dropped = 0

  const encodePiece = () => {
    blocks.add(piece, pieceLines)
    piece = ''
    pieceBytes = 0
    pieceLines = 0
  }
  const waitingBytes = () => blocks.sizeBytes + pieceBytes

  const flush = async () => {
    if (isWriting || waitingBytes() === 0) return
    isWriting = true
    encodePiece()
    for (const block of blocks.take()) {
      await end.write(block.bytes.subarray(0, block.sizeBytes)).catch(() => {
        dropped += block.lines
      })
      blocks.release(block)
    }
    isWriting = false
  }
  const timer = setInterval(() => void flush(), flushIntervalMs)
  timer.unref()

  return {
    write(line) {
      const lineBytes = Buffer.byteLength(line)
      if (waitingBytes() + lineBytes > waitingLimitBytes) {
        dropped++
        return
      }
      piece += line
      pieceBytes += lineBytes
      pieceLines++
      if (pieceBytes >= pieceFullBytes) encodePiece()
      if (waitingBytes() >= writeFrom) void flush()
    },
    get dropped() {
      return dropped
    },
    async close() {
      clearInterval(timer)
      const until = performance.now() + lastFlushMs
      while ((isWriting || waitingBytes() > 0) && performance.now() < until) {
        void flush()
        await pause()
      }
      end.close()
    },
  }
}

interface End {
  write(bytes: Buffer): Promise<void>
  close(): void
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

/** A blocking write to a stuck pipe would occupy a thread and keep the process from ending, so pipes are written non-blocking. */
const openEnd = (fd: number): End => {
  const kind = fstatSync(fd)
  return kind.isFIFO() || kind.isSocket() ? pipeEnd(fd) : fileEnd(fd)
}

const pipeEnd = (fd: number): End => {
  const socket = new Socket({ fd, readable: false, writable: true })
  socket.unref()
  socket.on('error', () => undefined)
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => socket.destroy(),
  }
}

const fileEnd = (fd: number): End => ({
  write: (bytes) => writeAll(fd, bytes),
  close: () => undefined,
})

const writeAll = async (fd: number, bytes: Buffer) => {
  let rest = bytes
  while (rest.length > 0) rest = rest.subarray(await writeSome(fd, rest))
}

const writeSome = (fd: number, bytes: Buffer) =>
  new Promise<number>((resolve, reject) => {
    write(fd, bytes, (error, written) => (error ? reject(error) : resolve(written)))
  })
