import { join } from 'node:path'

export const projectRoot = join(import.meta.dirname, '..')

/** What a test starts as a process of its own. */
export const main = join(projectRoot, 'src/main.js')

/** All that such a process has of this machine. As a user's, it takes what was compiled for an earlier start. */
export const surroundings = {
  PATH: process.env.PATH,
  XDG_CACHE_HOME: join(projectRoot, 'node_modules/.cache'),
}
