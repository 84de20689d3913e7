import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './exit.ts'

/** Prompts for a secret at the terminal without echoing it. Without a terminal, reads the next line of standard input. */
export const readSecret = (name: string): Promise<string> =>
  process.stdin.isTTY ? askAtTerminal(name) : nextLine(name)

/** Reads a new secret. At a terminal, the user types it twice, so that a typing mistake is found. */
export const readNewSecret = async (name: string): Promise<string> => {
  const secret = await readSecret(name)
  if (process.stdin.isTTY && (await askAtTerminal(`${name}, once more`)) !== secret)
    throw new UsageError('The two passwords are not the same. Nothing is changed.')
  return secret
}

const askAtTerminal = async (name: string) => {
  process.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  lines.once('SIGINT', () => {
    lines.close()
    process.kill(process.pid, 'SIGINT')
  })
  try {
    for await (const line of lines) return line
    throw missing(name)
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** The input after the last line that was used, because a pipe may deliver two secrets together. */
let readAhead = ''

const nextLine = async (name: string) => {
  const input = process.stdin.setEncoding('utf8')
  if (!readAhead.includes('\n'))
    for await (const text of input.iterator({ destroyOnReturn: false })) {
      readAhead += text
      if (readAhead.includes('\n')) break
    }
  // A pipe whose other end stays open must not keep the command from ending.
  input.pause()
  if (readAhead === '') throw missing(name)
  const [line = '', ...rest] = readAhead.split('\n')
  readAhead = rest.join('\n')
  return line.replace(/\r$/, '')
}

const missing = (name: string) =>
  new UsageError(`${name} is missing: give each password as one line of standard input.`)
