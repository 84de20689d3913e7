import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freshFolder } from '../fresh-folder.ts'
import { surroundings } from '../program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A copy of the sources with the note folder in place, and the list of resources as in the guide. */
export const projectWithNotes = async () => {
  const folder = freshFolder()
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(root, 'test/example/note'), join(folder, 'src/resources/note'), { recursive: true })
  const guide = await readFile(join(root, 'docs/adding-a-resource.md'), 'utf8')
  const [list = '', ofClient = ''] = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
  await writeFile(join(folder, 'src/resources/index.ts'), list)
  await addToClient(join(folder, 'src/client/index.ts'), ofClient)
  return folder
}

/** The types of notes are left out: they are made of the document, and the program runs without them. */
const addToClient = async (file: string, ofClient: string) => {
  const client = await readFile(file, 'utf8')
  const returned = 'members: membersOf(call),'
  assert.ok(client.includes(returned))
  const all = client.replace(returned, 'members: membersOf(call), notes: notesOf(call),')
  await writeFile(file, `${all}\n${ofClient}`)
}

/** Runs one command of the copy to its end, and returns its output. */
export const run = async (folder: string, args: readonly string[]) => {
  const options = { cwd: folder, env: surroundings }
  const { stdout } = await promisify(execFile)(process.execPath, ['src/main.js', ...args], options)
  return stdout
}

/** Runs one command of the copy that ends with a failure. */
export const outcomeOf = async (folder: string, args: readonly string[]) => {
  const failed: { code?: number; stdout?: string } = await run(folder, args).then(
    (stdout) => ({ stdout }),
    (error) => error,
  )
  return { code: failed.code ?? 0, output: failed.stdout ?? '' }
}

/** Starts the copy, and stops it when the test ends. */
export const serve = async (
  t: TestContext,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
) => {
  const given = { PORT: '0', MANAGEMENT_PORT: 'off', ...settings }
  const child = spawn(process.execPath, ['src/main.js', 'serve'], {
    cwd: folder,
    env: { ...surroundings, ...given },
  })
  const stop = async () => {
    child.kill('SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
  }
  t.after(stop)
  let output = ''
  for await (const chunk of child.stderr) {
    output += chunk
    const [url] = /http:\/\/\S+\/api\/v1/.exec(output) ?? []
    if (url) return { url, stop }
  }
  throw new Error(output)
}
