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
  const [, list = ''] = /```ts\n(.*?)```/s.exec(guide) ?? []
  await writeFile(join(folder, 'src/resources/index.ts'), list)
  return folder
}

/** Runs one command of the copy to its end, and returns its output. */
export const run = async (folder: string, args: readonly string[]) => {
  const options = { cwd: folder, env: surroundings }
  const { stdout } = await promisify(execFile)(process.execPath, ['src/main.js', ...args], options)
  return stdout
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
