import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A link or an image that leads to a file. Both paths are relative to the root. */
export interface FileLink {
  readonly page: string
  readonly to: string
}

/** The links of every Markdown file below a root. */
export const fileLinks = (root: string): readonly FileLink[] =>
  globSync('**/*.md', { cwd: root, exclude: ['**/node_modules', 'dist'] })
    .sort()
    .flatMap((page) => linksOf(readFileSync(join(root, page), 'utf8')).map((to) => linkOf(page, to)))

const linksOf = (text: string) =>
  [...text.replaceAll(code, '').matchAll(/\]\(([^):#\s]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to)

const code = /^ *```.*?^ *```|`[^`\n]*`/gms

const linkOf = (page: string, to: string): FileLink => ({ page, to: join(dirname(page), to) })
