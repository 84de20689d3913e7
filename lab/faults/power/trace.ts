import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** A system call that changes a file or writes output. */
export type Call =
  | { readonly is: 'write'; readonly path: string; readonly bytes: Buffer; readonly at: number | undefined }
  | { readonly is: 'truncate'; readonly path: string; readonly sizeBytes: number }
  /** A thread has begun a sync, which covers what was written until now. */
  | { readonly is: 'syncing'; readonly path: string; readonly thread: string }
  | { readonly is: 'sync'; readonly path: string; readonly thread: string }
  | { readonly is: 'create'; readonly path: string }
  | { readonly is: 'unlink'; readonly path: string }
  | { readonly is: 'rename'; readonly path: string; readonly to: string }
  | { readonly is: 'say'; readonly text: string }

export const tracedCalls =
  'openat,write,writev,pwrite64,pwritev,sendto,sendmsg,fsync,fdatasync,ftruncate,unlink,unlinkat,rename'

/** The arguments that make strace write what `callsOf` reads. */
export const straceArguments = (file: string) => [
  '-f',
  '--seccomp-bpf',
  '-qq',
  '-y',
  '-s',
  '1000000',
  '-e',
  'signal=none',
  // Time for readers to see data that is not yet on the disk.
  '-e',
  'inject=fdatasync:delay_enter=2000',
  '-e',
  `trace=${tracedCalls}`,
  '-o',
  file,
]

export async function* callsOf(traceFile: string): AsyncIterable<Call> {
  const unfinished = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(traceFile, 'latin1') })) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/s.exec(line) ?? []
    const begun = /^f(?:data)?sync\(\d+<(.*?)>/.exec(call)
    if (begun?.[1]) yield { is: 'syncing', path: begun[1], thread }
    const whole = resumed(unfinished, thread, call)
    if (whole === undefined) continue
    const parsed = callOf(whole, thread)
    if (parsed) yield parsed
  }
}

/**
 * Concurrent calls of several threads come in two halves. A call that hands over data counts from its first half;
 * one that promises something counts only from its second.
 */
const resumed = (unfinished: Map<string, string>, thread: string, call: string) => {
  const first = / <unfinished \.\.\.>$/.exec(call)
  if (first) {
    const head = call.slice(0, first.index)
    if (/^(p?write|send)/.test(call)) return `${head}) = 0`
    unfinished.set(thread, head)
    return undefined
  }
  const second = /^<\.\.\. (\w+) resumed>/.exec(call)
  if (!second) return call
  const head = unfinished.get(thread)
  unfinished.delete(thread)
  return head && head + call.slice(second[0].length)
}

const callOf = (line: string, thread: string): Call | undefined => {
  if (/ = -1 E\w+/.test(line.slice(-200))) return undefined
  const name = line.slice(0, line.indexOf('('))
  switch (name) {
    case 'pwrite64':
    case 'write':
      return written(line)
    case 'writev':
    case 'sendto':
    case 'sendmsg':
    case 'pwritev':
      return { is: 'say', text: strings(line) }
    case 'fsync':
    case 'fdatasync':
      return { is: 'sync', path: pathOf(line), thread }
    case 'ftruncate':
      return { is: 'truncate', path: pathOf(line), sizeBytes: Number(/, (\d+)\)/.exec(line)?.[1]) }
    case 'openat':
      return line.includes('O_CREAT') ? { is: 'create', path: returnedPath(line) } : undefined
    case 'unlink':
    case 'unlinkat':
      return { is: 'unlink', path: strings(line) }
    case 'rename': {
      const [path = '', to = ''] = quoted(line)
      return { is: 'rename', path, to }
    }
    default:
      return undefined
  }
}

const written = (line: string): Call => {
  const path = pathOf(line)
  const start = line.indexOf('"')
  const end = line.lastIndexOf('"')
  const bytes = unescaped(line, start + 1, end)
  if (!path.startsWith('/')) return { is: 'say', text: bytes.toString('latin1') }
  const at = line.startsWith('pwrite64') ? Number(/, (\d+)\)/.exec(line.slice(end))?.[1]) : undefined
  return { is: 'write', path, bytes, at }
}

const pathOf = (line: string) => /^\w+\(\d+<(.*?)>/.exec(line.slice(0, 5000))?.[1] ?? ''

const returnedPath = (line: string) => /= \d+<(.*)>$/.exec(line)?.[1] ?? ''

const strings = (line: string) => quoted(line).join('')

const quoted = (line: string) =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    unescaped(text, 0, text.length).toString('latin1'),
  )

const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 }

/** The bytes of a string with C escapes. */
const unescaped = (text: string, start: number, end: number): Buffer => {
  const bytes = Buffer.allocUnsafe(end - start)
  let length = 0
  for (let i = start; i < end; i++) {
    if (text.charCodeAt(i) !== 92) {
      bytes[length++] = text.charCodeAt(i)
      continue
    }
    const letter = letters[text[++i] ?? '']
    if (letter !== undefined) {
      bytes[length++] = letter
      continue
    }
    let value = 0
    const last = Math.min(end, i + 3)
    for (; i < last && isOctal(text.charCodeAt(i)); i++) value = value * 8 + text.charCodeAt(i) - 48
    i--
    bytes[length++] = value
  }
  return bytes.subarray(0, length)
}

const isOctal = (code: number) => code >= 48 && code <= 55
