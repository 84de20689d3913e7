import { globSync, readFileSync } from 'node:fs'

export interface SourceFile {
  /** Relative to the root of the project. */
  readonly path: string
  readonly text: string
}

const root = new URL('../', import.meta.url)

/** The files that Node runs, without tests and without the browser part of the console. */
export const sourceFiles = (): SourceFile[] =>
  read('src/**/*.ts').filter(({ path }) => !/\.test\.ts$/.test(path) && !path.startsWith('src/console/app/'))

export const testFiles = (): SourceFile[] => read('{src,test}/**/*.test.ts')

/** The number of lines in these files, without tests and generated files. */
export const linesOf = (files: string) =>
  read(files)
    .filter(({ path, text }) => !/\.(test|suite)\.ts$/.test(path) && !text.startsWith('// Generated'))
    .reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)

const read = (files: string): SourceFile[] =>
  globSync(files, { cwd: root })
    .filter((path) => !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
