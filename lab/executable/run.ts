/** Starts dist/rollcall in an empty folder without a PATH, tries every command, and compares it with the ordinary start. */
import assert from 'node:assert/strict'
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { program } from '../../src/cli/index.ts'
import { freePort } from '../../test/free-port.ts'
import { freshFolder } from '../../test/fresh-folder.ts'
import { projectRoot } from '../../test/program.ts'
import { median } from '../median.ts'

const tell = (text: string) => void process.stdout.write(`${text}\n`)

const loan = `
import { Day, Flag, resource, Starting, Text } from 'rollcall/resource'
export const loan = resource({
  name: 'loan',
  fields: { title: Text(1, 60), due: Day, returned: Starting(false, Flag) },
})`

const folder = freshFolder()
writeFileSync(join(folder, 'loan.ts'), loan)
writeFileSync(join(folder, 'tasks.csv'), 'todoTitle\nTea\n')
const environment = { HOME: folder, PATH: '/nowhere', RESOURCES: './loan.ts', ROLLCALL_PASSWORD: 'swordfish' }

interface Way {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
}
const executable: Way = { name: 'executable', file: join(projectRoot, 'dist/rollcall'), args: [] }
const ordinary: Way = {
  name: 'node dist/lib/main.js',
  file: process.execPath,
  args: ['--max-semi-space-size=16', join(projectRoot, 'dist/lib/main.js')],
}

const run = (args: string, input = '') =>
  execFileSync(executable.file, args.split(' '), {
    ...{ cwd: folder, env: environment, encoding: 'utf8', input },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

const lines = [
  'todo add Milk',
  'loan add --title Emma --due 2026-12-24',
  'loan list --json',
  'key add report --scope todos:read',
  'webhook add https://receiver.invalid/',
  'me',
  'changes',
  'config',
  'verify',
  'import todos tasks.csv',
  'export todos todos.ndjson',
  'backup copy-1.db --keep 7',
  'restore copy-1.db --replace',
  'migrate',
  'doctor --port 0 --management-port off',
  'openapi',
  'completion bash',
  'init own',
  'move --from sqlite:./data/rollcall.db --to sqlite:./moved.db',
]
const person =
  '--first-name A --last-name B --gender-code 1 --date-of-birth 1990-01-01 --email-address a@b.example'

const tryCommands = async () => {
  run(`member add ${person}`, 'demodemo1\n')
  for (const line of lines) run(line)
  const tried = new Set(['member', 'serve', 'health', ...lines.map((line) => line.split(' ')[0])])
  const all = (await program()).commands.map((command) => command.name())
  assert.deepEqual(
    all.filter((name) => !tried.has(name)),
    [],
  )
  tell(`${all.length} commands, in an empty folder without a PATH: ${run('--version').trim()}`)
}

/** A service that answers, its processor time until then, and its memory. */
const served = async ({ file, args }: Way) => {
  const [port, management] = [await freePort(), await freePort()]
  const options: SpawnOptions = { cwd: folder, env: environment, stdio: 'ignore' }
  const settings = [
    'serve',
    '--access',
    'open',
    '--port',
    String(port),
    '--management-port',
    String(management),
  ]
  const child = spawn(file, [...args, ...settings], options)
  const until = async (url: string) => {
    while (
      !(await fetch(url)
        .then(({ ok }) => ok)
        .catch(() => false))
    )
      await sleep(5)
  }
  try {
    await until(`http://127.0.0.1:${port}/api/v1/loans`)
    const [, ...fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')
    const [user, system] = fields.join().split(' ').slice(11, 13).map(Number) as [number, number]
    await until(`http://127.0.0.1:${management}/`)
    await until(`http://127.0.0.1:${management}/docs`)
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    if (file === executable.file) {
      run(`health --port ${port} --management-port ${management}`)
      run(`me --url http://127.0.0.1:${port}`)
    }
    return { cpuMs: (user + system) * 10, megabytes: Number(kilobytes) / 1024 }
  } finally {
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
  }
}

await tryCommands()
tell(
  `size: ${Math.round(statSync(executable.file).size / 1e6)} MB; node alone: ${Math.round(statSync(process.execPath).size / 1e6)} MB`,
)
for (const way of [executable, ordinary]) {
  const found: Awaited<ReturnType<typeof served>>[] = []
  for (let round = 0; round < 5; round++) found.push(await served(way))
  const of = (name: 'cpuMs' | 'megabytes') => Math.round(median(found.map((one) => one[name])))
  tell(
    `${way.name}: ${of('cpuMs')} ms of processor time until the first answer, ${of('megabytes')} MB after the console`,
  )
}
