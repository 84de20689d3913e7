import { execFileSync } from 'node:child_process'
import { publishedDocument } from '#src/document.ts'
import { typesOf } from './types.ts'

export const root = new URL('../../', import.meta.url)

/** The files that are made of the table of routes, by their paths. */
export const published = async (): Promise<ReadonlyMap<string, string>> => {
  const document = await publishedDocument()
  const types = 'src/client/types.ts'
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    [types, formatted(types, typesOf(document))],
  ])
}

const formatted = (path: string, text: string) =>
  execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
