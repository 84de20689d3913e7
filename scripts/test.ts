/** Runs the tests: `npm test` all of them, `npm test -- file …` those files, `npm test -- --watch file` again after each change. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { bundle } from '../src/console/bundle.ts'
import { isStale } from '../src/console/freshness.ts'
import { startServer } from '../test/postgres.ts'
import { makeDatabase, makeFile } from '../test/templates.ts'

/**
 * How many files of a folder share a process, which then compiles what they import once. The folders that take longest begin first,
 * and those whose tests wait much begin beside those that need the processor.
 */
const groups: readonly (readonly [files: string, together: number])[] = [
  ['test/import/*.test.ts', 3],
  ['test/browser/*.test.ts', 4],
  ['src/**/*.test.ts', 42],
  ['test/postgres*.test.ts', 5],
  ['test/cli/*.test.ts', 8],
  ['lab/**/*.test.ts', 8],
  ['test/operations/*.test.ts', 9],
  ['test/{access,client,docs,hostile,openapi,resources,scenarios}/*.test.ts', 15],
  ['test/[!p]*.test.ts', 9],
]

/** More than there are cores, because tests also wait. */
const processes = 7

const given = process.argv.slice(2)
const isFile = (argument: string) => !argument.startsWith('-')
const isWhole = !given.some(isFile)

/**
 * A folder in memory for the temporary files of a whole run, or undefined if there is not enough memory. On a disk, a service with a new
 * SQLite file takes half as much processor time again, and waits for each sync.
 */
const folderInMemory = () => {
  const [memory, neededBytes] = ['/dev/shm', 4 * 2 ** 30]
  if (!existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < neededBytes) return
  const folder = mkdtempSync(`${memory}/rollcall-tests-`)
  // Like /tmp: some tests run programs as other users.
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

if (isWhole) {
  process.env.TEST_KEPT_FOLDER = tmpdir()
  process.env.TMPDIR = folderInMemory() ?? tmpdir()
}

/** The server that the files of a run share, unless one is named. Where there is none, each file that needs one says so. */
const postgres =
  isWhole && !process.env.TEST_DATABASE_URL ? await startServer().catch(() => undefined) : undefined
if ((isWhole || given.some((argument) => argument.includes('browser'))) && (await isStale())) await bundle()

const env = {
  ...process.env,
  NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
  ...(isWhole && { TEST_FILE_TEMPLATE: await makeFile() }),
  ...(postgres && {
    TEST_DATABASE_URL: postgres.url,
    TEST_DATABASE_TEMPLATE: await makeDatabase(postgres.url),
  }),
}

const running = new Set<ChildProcess>()

const run = (args: readonly string[], stdout: 'inherit' | 'pipe', at = 0) => {
  const options = ['--test', '--test-timeout=180000', '--test-reporter=spec', ...args]
  const tests = spawn(process.execPath, options, {
    stdio: ['inherit', stdout, 'inherit'],
    env: { ...env, TEST_PROCESS: String(at) },
  })
  running.add(tests)
  tests.on('exit', () => running.delete(tests))
  return tests
}

const runGiven = async () => {
  const [code] = await once(run(given, 'inherit'), 'exit')
  return Number(code ?? 1)
}

/** Runs all files, and says at the end what the reports of the processes say together. */
const runAll = async () => {
  const waiting = groups.flatMap(([files, together]) => inGroups(globSync(files).sort(), together))
  const reports: string[] = []
  let code = 0
  const runNext = async (at: number): Promise<void> => {
    const files = waiting.shift()
    if (!files) return
    const tests = run(['--test-isolation=none', ...given, ...files], 'pipe', at)
    const [report, [ended]] = await Promise.all([text(tests.stdout ?? process.stdin), once(tests, 'exit')])
    console.log(`\n${files.join(' ')}\n${report}`)
    reports.push(report)
    if (ended !== 0) code = 1
    return runNext(at)
  }
  await Promise.all(Array.from({ length: processes }, (_, at) => runNext(at)))
  for (const report of reports) console.log(/^✖ failing tests:.*/ms.exec(report)?.[0] ?? '')
  for (const count of ['tests', 'pass', 'fail', 'cancelled', 'skipped'])
    console.log(`ℹ ${count} ${sum(reports, new RegExp(`^ℹ ${count} (\\d+)$`, 'm'))}`)
  return code
}

const inGroups = (files: readonly string[], together: number) =>
  Array.from({ length: Math.ceil(files.length / together) }, (_, at) =>
    files.slice(at * together, (at + 1) * together),
  )

const sum = (reports: readonly string[], count: RegExp) =>
  reports.reduce((total, report) => total + Number(count.exec(report)?.[1] ?? 0), 0)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const tests of running) tests.kill(signal)
  })
const code = isWhole ? await runAll() : await runGiven()
await postgres?.stop()
process.exit(code)
