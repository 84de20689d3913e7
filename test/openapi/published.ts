import { execFileSync } from 'node:child_process'
import { publishedDocument } from '#src/app/document.ts'
import { codesOf } from './types.ts'

export const root = new URL('../../', import.meta.url)

/** The files generated from the route table, by path. */
export const published = async (): Promise<ReadonlyMap<string, string>> => {
  const document = await publishedDocument()
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['src/client/codes.ts', formatted('src/client/codes.ts', codesOf(document))],
  ])
}

const formatted = (path: string, text: string) =>
  execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
