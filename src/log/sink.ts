import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface LogSinkOptions {
  readonly fd: number
  /** The number of bytes that may wait for a slow destination. Further lines are dropped. */
  readonly waitingLimitBytes?: number
}

const fullBatchBytes = 64 * 1024
const flushIntervalMs = 250
const lastFlushMs = 500

/** Writes lines to a pipe, a file or a terminal. The service never waits for the destination, which may be stuck or full. */
export const logSink = ({ fd, waitingLimitBytes = 8 * 1024 * 1024 }: LogSinkOptions) => {
  const output = openOutput(fd)
  const flushAtBytes = Math.min(fullBatchBytes, waitingLimitBytes / 2)
  const emptyBatch = { text: '', lines: 0, bytes: 0 }
  let waiting = { ...emptyBatch }
  let writing = emptyBatch
  let dropped = 0

  const flush = async () => {
    if (writing.bytes > 0 || waiting.bytes === 0) return
    writing = waiting
    waiting = { ...emptyBatch }
    await output.write(Buffer.from(writing.text)).catch(() => {
      dropped += writing.lines
    })
    writing = emptyBatch
  }
  const timer = setInterval(() => void flush(), flushIntervalMs)
  timer.unref()

  return {
    write(line: string) {
      const bytes = Buffer.byteLength(line)
      if (waiting.bytes + writing.bytes + bytes > waitingLimitBytes) {
        dropped++
        return
      }
      waiting.text += line
      waiting.bytes += bytes
      waiting.lines++
      if (waiting.bytes >= flushAtBytes) void flush()
    },

    /** The number of lines that were dropped because the destination is stuck, full or gone. */
    get dropped() {
      return dropped
    },

    /** Tries to write the waiting lines, but only for a short time. */
    async close() {
      clearInterval(timer)
      const until = performance.now() + lastFlushMs
      while (waiting.bytes + writing.bytes > 0 && performance.now() < until) {
        void flush()
        await sleep(10)
      }
      output.close()
    },
  }
}

interface LogOutput {
  write(bytes: Buffer): Promise<void>
  close(): void
}

/** Pipes are written without blocking, because a blocking write to a stuck pipe would occupy a thread and keep the process from ending. */
const openOutput = (fd: number): LogOutput => {
  const kind = fstatSync(fd)
  return kind.isFIFO() || kind.isSocket() ? pipeOutput(fd) : fileOutput(fd)
}

const pipeOutput = (fd: number): LogOutput => {
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

const fileOutput = (fd: number): LogOutput => ({
  async write(bytes) {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(await writeSome(fd, rest))
  },
  close: () => undefined,
})

const writeSome = (fd: number, bytes: Buffer) =>
  new Promise<number>((resolve, reject) => {
    write(fd, bytes, (error, written) => (error ? reject(error) : resolve(written)))
  })
