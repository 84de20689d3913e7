import assert from 'node:assert/strict'
import { curl } from './foreign/curl.ts'
import { outputOf } from './foreign/outside.ts'
import type { Finding } from './lints.ts'
import { withService } from './service.ts'
import { folder } from './tools.ts'

type Use = (url: string) => Promise<void>

const using = (use: Use) => (): Promise<readonly Finding[]> =>
  withService(async (url) => {
    try {
      await use(url)
      return []
    } catch (error) {
      return [{ rule: 'use', where: url, message: (error as Error).message.slice(0, 800) }]
    }
  })

/** Batches of sixteen pipelined requests, for two seconds on four connections. */
const wrk: Use = async (url) => {
  const output = await outputOf('wrk', ['-t1', '-c4', '-d2s', '-s', `${folder}foreign/pipeline.lua`, url])
  const [, answers = '0', errors = ''] = /answers (\d+) errors (\d+)/.exec(output) ?? []
  console.log(`wrk: ${answers} pipelined answers`)
  assert.equal(errors, '0', output)
  assert.ok(Number(answers) > 1000, output)
}

const netcat: Use = async (url) => {
  const { hostname, port } = new URL(url)
  const ask = (track: string, more = '') =>
    `GET /api/v1/todos HTTP/1.1\r\nHost: x\r\nX-Track: ${track}\r\n${more}\r\n`
  const pipelined = ask('n1') + ask('n2') + ask('n3', 'Connection: close\r\n') + ask('n4')
  const output = await outputOf('nc', ['-w', '5', hostname, port], pipelined, { openMs: 1000 })
  assert.deepEqual(tracksIn(output), ['n1', 'n2', 'n3'], 'no request after Connection: close is answered')
  const halfClosed = await outputOf('nc', ['-N', '-w', '5', hostname, port], ask('n5') + ask('n6'))
  assert.deepEqual(
    tracksIn(halfClosed),
    ['n5', 'n6'],
    'a client that has closed its half of the connection gets its responses',
  )
}

const tracksIn = (output: string) => [...output.matchAll(/^X-Track: (\S+)/gim)].map(([, track]) => track)

const python: Use = async (url) => {
  const { hostname, port } = new URL(url)
  const output = await outputOf('python3', [`${folder}foreign/python.py`, hostname, port])
  console.log(`python: ${output.trim().split('\n').join(', ')}`)
}

const undici: Use = async (url) => {
  await outputOf(process.execPath, [`${folder}foreign/undici.js`, url])
}

/** Third-party programs, each a client of its own. */
export const foreign = {
  curl: using(curl),
  netcat: using(netcat),
  python: using(python),
  undici: using(undici),
  wrk: using(wrk),
}
