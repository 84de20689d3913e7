import { join } from 'node:path'

export const projectRoot = join(import.meta.dirname, '..')

/** The program that tests start as a separate process. */
export const main = join(projectRoot, 'src/main.js')

/** The environment of such a process, with the compile cache that an earlier start has filled. */
export const childEnvironment = {
  PATH: process.env.PATH,
  XDG_CACHE_HOME: join(projectRoot, 'node_modules/.cache'),
}
