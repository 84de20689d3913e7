import { realpathSync } from 'node:fs'
import { sqlitePathOf } from '#sql/open.ts'
import { failureOf } from './errors.ts'
import { toUnusable } from './file-faults.ts'

/** If the work fails because the file is damaged, throws an error that names the file and the remedy. */
export const nameDamagedFile = async <T>(url: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const path = sqlitePathOf(url)
    const failure = failureOf(error)
    if (path === undefined || (failure !== 'corrupt' && failure !== 'notADatabase')) throw error
    throw toUnusable(realpathSync(path), error)
  }
}
