import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { RecordedExchange } from './recorder.ts'

/** An exchange with its content codings undone. */
export interface Exchange {
  /** The test file that it belongs to. */
  readonly file: string
  readonly method: string
  /** Below the prefix, without a suffix, with its query. */
  readonly path: string
  readonly requestFields: readonly string[]
  /** Undefined if the service did not, or could not, read it to its end. */
  readonly sent: Buffer | undefined
  readonly status: number
  readonly responseFields: readonly string[]
  readonly answer: Buffer
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The tests that speak HTTP to the service. */
const suite = [
  'src/resources/**/*.test.ts',
  'test/{scenarios,access,hostile,openapi,client}/*.test.ts',
  'test/races.test.ts',
]

export interface SuiteRun {
  readonly exchanges: readonly Exchange[]
  readonly files: number
  readonly tests: number
  /** The names of the failed tests. */
  readonly failed: readonly string[]
}

/** Runs the suite with a recorder in each of its processes. */
export const recordSuite = async (notes: string): Promise<SuiteRun> => {
  const output = await runSuite(notes)
  const exchanges = await readExchanges(notes)
  return {
    exchanges,
    files: new Set(exchanges.map(({ file }) => file)).size,
    tests: Number(/^. tests (\d+)$/m.exec(output)?.[1] ?? Number.NaN),
    failed: [...output.matchAll(/^ *✖ (.+) \([\d.]+ms\)$/gm)].map(([, name = '']) => name),
  }
}

const readExchanges = async (notes: string): Promise<readonly Exchange[]> => {
  const exchanges: Exchange[] = []
  for (const file of await readdir(notes)) {
    const lines = (await readFile(join(notes, file), 'utf8')).split('\n')
    for (const line of lines)
      if (line !== '') exchanges.push(decodedExchange(file, JSON.parse(line) as RecordedExchange))
  }
  return exchanges
}

const runSuite = (notes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const recorder = `--import ${new URL('recorder.ts', import.meta.url)}`
    const args = ['--test', '--test-concurrency=3', '--test-timeout=180000', '--test-reporter=spec', ...suite]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, EXCHANGES: notes, NODE_OPTIONS: recorder },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })

const decodedExchange = (file: string, recorded: RecordedExchange): Exchange => {
  const { method, target, requestFields, isWhole, status, responseFields } = recorded
  const sent = plain(Buffer.from(recorded.sent, 'base64'), field(requestFields, 'content-encoding'))
  return {
    file: file.replace(/\.\d+$/, ''),
    method,
    path: bare(target.replace(/^https?:\/\/[^/]+/i, '').slice('/api/v1'.length)),
    requestFields,
    sent: isWhole ? sent : undefined,
    status,
    responseFields,
    answer:
      plain(Buffer.from(recorded.answer, 'base64'), field(responseFields, 'content-encoding')) ??
      Buffer.alloc(0),
  }
}

/** Removes the suffix, which the document mentions only in prose. */
const bare = (target: string) => {
  const [path = '', ...query] = target.split('?')
  const isDocument = path.startsWith('/openapi.')
  return [isDocument ? path : path.replace(/\.[^/]*$/, ''), ...query].join('?')
}

const plain = (bytes: Buffer, coding: string | undefined): Buffer | undefined => {
  try {
    if (coding === 'br') return brotliDecompressSync(bytes)
    return coding === 'gzip' || coding === 'x-gzip' ? gunzipSync(bytes) : bytes
  } catch {
    return undefined
  }
}

export const field = (fields: readonly string[], name: string): string | undefined => {
  const at = fields.findIndex((one, place) => place % 2 === 0 && one.toLowerCase() === name)
  return at < 0 ? undefined : fields[at + 1]
}
