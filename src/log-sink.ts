import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'

export interface LogSink extends DestinationStream {
  /** Lines that were lost, because the other end is stuck, full or gone. */
  readonly dropped: number
  /** Gives what waits a last chance, but never waits long for it. */
  close(): Promise<void>
}

export interface LogSinkOptions {
  readonly fd: number
  /** So much may wait for an end that does not take it; what comes then is dropped. */
  readonly waitingLimitBytes?: number
}

const writeFromBytes = 64 * 1024
const flushEveryMs = 250
const lastFlushMs = 500

/** Lines on their way to a pipe, a file or a terminal that may be stuck or full: the service never waits for it. */
export const logSink = ({ fd, waitingLimitBytes = 8 * 1024 * 1024 }: LogSinkOptions): LogSink => {
  const end = openEnd(fd)
  const writeFrom = Math.min(writeFromBytes, waitingLimitBytes / 2)
  let waiting = { text: '', lines: 0 }
  let isWriting = false
  let dropped = 0

  const flush = async () => {
    if (isWriting || waiting.text === '') return
    isWriting = true
    const { text, lines } = waiting
    waiting = { text: '', lines: 0 }
    await end.write(text).catch(() => {
      dropped += lines
    })
    isWriting = false
  }
  const timer = setInterval(() => void flush(), flushEveryMs)
  timer.unref()

  return {
    write(line) {
      if (waiting.text.length + line.length > waitingLimitBytes) {
        dropped++
        return
      }
      waiting.text += line
      waiting.lines++
      if (waiting.text.length >= writeFrom) void flush()
    },
    get dropped() {
      return dropped
    },
    async close() {
      clearInterval(timer)
      const until = performance.now() + lastFlushMs
      while ((isWriting || waiting.text !== '') && performance.now() < until) {
        await flush()
        if (isWriting) await pause()
      }
      end.close()
    },
  }
}

interface End {
  write(text: string): Promise<void>
  close(): void
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

/** A write to a stuck pipe would hold a thread, and with it the end of the process: pipes are written without waiting. */
const openEnd = (fd: number): End => {
  const kind = fstatSync(fd)
  return kind.isFIFO() || kind.isSocket() ? pipeEnd(fd) : fileEnd(fd)
}

const pipeEnd = (fd: number): End => {
  const socket = new Socket({ fd, readable: false, writable: true })
  socket.unref()
  socket.on('error', () => undefined)
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        socket.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => socket.destroy(),
  }
}

const fileEnd = (fd: number): End => ({
  write: (text) => writeAll(fd, Buffer.from(text)),
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
