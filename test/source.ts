import { globSync, readFileSync } from 'node:fs'

export interface SourceFile {
  /** From the root of the project. */
  readonly path: string
  readonly text: string
}

const root = new URL('../', import.meta.url)

/** What Node runs: the tests beside it and the console's browser part are other programs. */
export const sourceFiles = (): SourceFile[] =>
  globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !/\.(test|suite)\.ts$/.test(path) && !path.startsWith('src/console/app/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
