/** Runs the tests: `npm test` all of them, `npm test -- file …` those files, `npm test -- --watch file` again after each change. */
import { spawn } from 'node:child_process'
import { serve } from '../test/browser/browser.ts'

const given = process.argv.slice(2)
const isFile = (argument: string) => !argument.startsWith('-')
const files = given.some(isFile) ? [] : ['src/**/*.test.ts', 'test/**/*.test.ts', 'lab/**/*.test.ts']

/** The files that test in a browser share one. */
const browser =
  files.length > 0 || given.some((argument) => argument.includes('browser')) ? await serve() : undefined

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
    },
  },
)
tests.on('exit', async (code) => {
  await browser?.close()
  process.exit(code ?? 1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
