import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { publishedDocument } from '#src/app/document.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { published, root } from './published.ts'
import { typesOf } from './types.ts'

test('the committed OpenAPI document and the codes of the client match the routes', async () => {
  for (const [path, text] of await published()) {
    const committed = await readFile(new URL(path, root), 'utf8')
    assert.ok(committed === text, `${path} is behind: run npm run openapi`)
  }
})

/** The client has generic types for these, has no imports yet, and never asks for problem details. */
const isOwn = (name: string) =>
  !/^Import|(List|Slice|History|Version|^(Key|Webhook)Page|^Problem|^ErrorCode|^Constraint)$/.test(name)

/** Services with declared resources have more types of changes. Requests ignore secrets, so the document gives them no type. */
const asClient = (type: string) =>
  type.replace(/'todo\.created' \|[^;]*/, 'string').replace("'secret'?: unknown", "'secret'?: string")

test('the types of the client match the document, field by field', async () => {
  const folder = freshFolder()
  const types = Object.entries(typesOf(await publishedDocument()))
  const file = (path: string) => JSON.stringify(fileURLToPath(new URL(path, root)))
  const program = [
    `import type { Constraint, ErrorCode } from ${file('src/client/codes.ts')}`,
    `import type * as client from ${file('src/client/types.ts')}`,
    'type Within<A, B> = [A, keyof A] extends [B, keyof B] ? true : false',
    ...types
      .filter(([name]) => name !== 'ErrorCode' && name !== 'Constraint')
      .map(([name, type]) => `type ${name} = ${asClient(type)}`),
    ...types
      .filter(([name]) => isOwn(name))
      .flatMap(([name]) => [
        `export const is${name}: Within<client.${name}, ${name}> = true`,
        `export const has${name}: Within<${name}, client.${name}> = true`,
      ]),
  ]
  const config = { extends: fileURLToPath(new URL('tsconfig.json', root)), include: ['said.mts'] }
  await writeFile(join(folder, 'said.mts'), program.join('\n'))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      ...config,
      compilerOptions: { types: [], lib: ['esnext', 'dom'], noUnusedLocals: false },
    }),
  )
  const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', root))
  const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
  const lineOf = (fault: string) => program[Number(/^\S*said\.mts\((\d+)/.exec(fault)?.[1]) - 1]
  assert.deepEqual(
    stdout.split('\n').flatMap((fault) => (fault === '' ? [] : (lineOf(fault) ?? fault))),
    [],
  )
})
