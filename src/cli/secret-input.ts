import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './exit.ts'

/** Prompts for a secret at the terminal without echoing it. Without a terminal, reads the next line of standard input. */
export const readSecret = (name: string): Promise<string> =>
  process.stdin.isTTY ? promptAtTerminal(name) : readNextLine(name)

/** Reads a new secret. At a terminal, the user types the secret twice, so that a typing mistake is noticed. */
export const readNewSecret = async (name: string): Promise<string> => {
  const secret = await readSecret(name)
  if (process.stdin.isTTY && (await promptAtTerminal(`${name}, once more`)) !== secret)
    throw new UsageError('The two passwords are not the same. Nothing is changed.')
  return secret
}

const promptAtTerminal = async (name: string) => {
  process.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  lines.once('SIGINT', () => {
    lines.close()
    process.kill(process.pid, 'SIGINT')
  })
  try {
    for await (const line of lines) return line
    throw missingSecret(name)
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** The input after the last line that was read: a pipe may deliver two secrets in one chunk. */
let readAhead = ''

const readNextLine = async (name: string) => {
  const input = process.stdin.setEncoding('utf8')
  if (!readAhead.includes('\n'))
    for await (const text of input.iterator({ destroyOnReturn: false })) {
      readAhead += text
      if (readAhead.includes('\n')) break
    }
  // Without this, the command could not end as long as the other end of a pipe stays open.
  input.pause()
  if (readAhead === '') throw missingSecret(name)
  const [line = '', ...rest] = readAhead.split('\n')
  readAhead = rest.join('\n')
  return line.replace(/\r$/, '')
}

const missingSecret = (name: string) =>
  new UsageError(`${name} is missing: give each password as one line of standard input.`)
