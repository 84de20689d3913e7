/** Runs the tests: `npm test` all of them, `npm test -- file …` those files, `npm test -- --watch file` again after each change. */
import { spawn } from 'node:child_process'
import { bundle } from '../src/console/bundle.ts'
import { isStale } from '../src/console/freshness.ts'
import { serve } from '../test/browser/browser.ts'
import { startServer } from '../test/postgres.ts'
import { makeDatabase, makeFile } from '../test/templates.ts'

const given = process.argv.slice(2)
const isFile = (argument: string) => !argument.startsWith('-')
const isWhole = !given.some(isFile)
const files = isWhole ? ['src/**/*.test.ts', 'test/**/*.test.ts', 'lab/**/*.test.ts'] : []

/** What the files of a run share: a browser, PostgreSQL unless one is named, and the console as it is built. */
const browser = isWhole || given.some((argument) => argument.includes('browser')) ? await serve() : undefined
// Where there is none, each file that needs one says so.
const postgres =
  isWhole && !process.env.TEST_DATABASE_URL ? await startServer().catch(() => undefined) : undefined
if ((isWhole || browser) && (await isStale())) await bundle()

const tests = spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=6',
    '--test-timeout=180000',
    '--test-reporter=spec',
    ...given.filter((argument) => !isFile(argument)),
    ...given.filter(isFile),
    ...files,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
      ...(browser && { TEST_BROWSER: browser.wsEndpoint() }),
      ...(isWhole && { TEST_FILE_TEMPLATE: await makeFile() }),
      ...(postgres && {
        TEST_DATABASE_URL: postgres.url,
        TEST_DATABASE_TEMPLATE: await makeDatabase(postgres.url),
      }),
    },
  },
)
tests.on('exit', async (code) => {
  await Promise.all([browser?.close(), postgres?.stop()])
  process.exit(code ?? 1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
