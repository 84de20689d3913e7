import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { WrongUse } from './exit.ts'

/** Asks for a secret at the terminal, without showing it; where there is none, reads the next line. */
export const readSecret = (question: string): Promise<string> =>
  process.stdin.isTTY === true ? askAtTerminal(question) : nextLine()

const askAtTerminal = async (question: string) => {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    for await (const line of lines) return line
    throw missing()
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** What has come behind the lines that were asked for: a second secret comes with the first. */
let ahead = ''

const nextLine = async () => {
  const input = process.stdin.setEncoding('utf8')
  if (!ahead.includes('\n'))
    for await (const text of input.iterator({ destroyOnReturn: false })) {
      ahead += text
      if (ahead.includes('\n')) break
    }
  // Whoever leaves its end open does not keep the command from ending.
  input.pause()
  if (ahead === '') throw missing()
  const [line = '', ...rest] = ahead.split('\n')
  ahead = rest.join('\n')
  return line.replace(/\r$/, '')
}

const missing = () => new WrongUse('A password is needed: give it as one line.')
