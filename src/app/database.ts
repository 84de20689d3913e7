import { readFileSync } from 'node:fs'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { faultOf, filesOf } from '#sql/postgres/wire/url.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { unreadable } from '#src/config/unreadable.ts'
import { SettingError } from '#src/config.ts'

/** Opens the database that a setting or a flag names, once everything that its URL names has been found. */
export const openNamed = async (url: string, options?: OpenOptions): Promise<Engine> => {
  requireReadable(url)
  try {
    return await openDatabase(url, options)
  } catch (error) {
    if (error instanceof DataUnusable && error.reason === 'wrongParameter')
      throw new SettingError(error.message)
    throw error
  }
}

/** Refuses a URL whose certificates cannot be read: without them nobody can prove who he is. */
const requireReadable = (url: string): void => {
  if (!url.startsWith('postgres')) return
  const fault = faultOf(url)
  if (fault !== undefined) throw new SettingError(fault)
  for (const [name, path] of filesOf(url))
    try {
      readFileSync(path)
    } catch (error) {
      unreadable(`The ${name} of the database`, path)(error)
    }
}
