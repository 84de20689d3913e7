import { realpathSync } from 'node:fs'
import { sqlitePathOf } from '#sql/open.ts'
import { failureOf } from './errors.ts'
import { unusable } from './file-faults.ts'

/** If the work finds damage, throws an error that names the file and the remedy. */
export const orNameDamaged = async <T>(url: string, work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    const path = sqlitePathOf(url)
    const failure = failureOf(error)
    if (path === undefined || (failure !== 'corrupt' && failure !== 'notADatabase')) throw error
    throw unusable(realpathSync(path), error)
  }
}
