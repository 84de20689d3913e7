import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { WrongUse } from './exit.ts'

/** Asks for a secret at the terminal, without showing it; where there is none, reads one line. */
export const readSecret = async (question: string): Promise<string> => {
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal })
  try {
    for await (const line of lines) return line
    throw new WrongUse('A password is needed: give it as one line.')
  } finally {
    lines.close()
    if (isTerminal) process.stderr.write('\n')
  }
}
