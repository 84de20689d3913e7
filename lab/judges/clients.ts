import { spawn } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './lints.ts'
import { withService } from './service.ts'
import { documentPath, folder, run, scratch } from './tools.ts'

/** Third-party client generators: what they make of the document must compile and work. */
export const clients = {
  openapifetch: () =>
    generated(['openapi-typescript', [documentPath, '--output', 'api.ts']], {
      'use.ts': `
        import createClient from 'openapi-fetch'
        import type { paths } from './api.ts'
        const client = createClient<paths>({ baseUrl: process.argv[2] })
        const made = await client.POST('/todos', { body: { todoTitle: 'Buy milk' } })
        if (made.response.status !== 201 || made.data?.todoTitle !== 'Buy milk') throw new Error('not created')
        const read = await client.GET('/todos/{todoId}', { params: { path: { todoId: made.data.todoId } } })
        if (read.data?.todoId !== made.data.todoId) throw new Error('not read')
        const refused = await client.POST('/todos', { body: { todoTitle: '' } })
        if (refused.error?.code !== 'e.xx.fw.7001') throw new Error('not refused')
        const gone = await client.DELETE('/todos/{todoId}', { params: { path: { todoId: made.data.todoId } } })
        if (gone.response.status !== 204) throw new Error('not deleted')`,
    }),
  heyapi: () =>
    generated(['openapi-ts', ['--input', documentPath, '--output', 'api', '--silent']], {
      'use.ts': `
        import { client } from './api/client.gen.ts'
        import { createMember, getMember, listMembers, patchMember } from './api/sdk.gen.ts'
        client.setConfig({ baseUrl: process.argv[2] as \`\${string}/api/v1\` })
        const body = {
          firstName: 'John', lastName: 'Smith', genderCode: '1' as const, dateOfBirth: '1983-01-17',
          emailAddress: 'john@example.com', credential: { password: 'demodemo' },
        }
        const made = await createMember({ body })
        if (!made.data || !('credential' in made.data)) throw new Error('not created')
        const memberId = made.data.memberId
        const read = await getMember({ path: { memberId }, query: { view: 'reduced' } })
        if (read.data?.lastName !== 'Smith') throw new Error('not read')
        const changed = await patchMember({ path: { memberId }, body: { address: 'Kyoto' } })
        if (!changed.response?.ok) throw new Error('not changed')
        const all = await listMembers({ query: { name: 'smith' } })
        if (!Array.isArray(all.data) || all.data.length !== 1) throw new Error('not listed')
        const refused = await createMember({ body })
        if (refused.error?.code !== 'e.xx.yy.8001') throw new Error('not refused')`,
    }),
}

type Command = readonly [tool: string, args: readonly string[]]

const generated = async (
  [tool, args]: Command,
  files: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> => {
  const work = scratch()
  await symlink(join(folder, '../node_modules'), join(work, 'node_modules'))
  await writeFile(join(work, 'package.json'), '{"type":"module"}')
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text)
  const made = await run(tool, args, work)
  if (made.code !== 0) return [complaint('generate', made.errors || made.output)]
  const compiled = await run('tsc', [...compile, 'use.ts'], work)
  if (compiled.code !== 0) return [complaint('compile', compiled.output)]
  const built = join(work, 'built', 'use.js')
  return withService(async (url) => {
    const { promise, resolve } = Promise.withResolvers<readonly Finding[]>()
    const child = spawn(process.execPath, [built, `${url}/api/v1`], { cwd: work })
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('close', (code) => resolve(code === 0 ? [] : [complaint('use', errors)]))
    return promise
  })
}

const compile = [
  '--outDir',
  'built',
  '--target',
  'esnext',
  '--module',
  'nodenext',
  '--strict',
  '--skipLibCheck',
  '--rewriteRelativeImportExtensions',
  '--types',
  'node',
]

const complaint = (rule: string, message: string): Finding => ({
  rule,
  where: '',
  message: message.slice(0, 2000),
})
