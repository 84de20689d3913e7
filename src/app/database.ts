import { readFileSync } from 'node:fs'
import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { unreadable } from '#src/config/unreadable.ts'

/** Opens the database that a setting or a flag names, once everything that its URL names has been found. */
export const openNamed = async (url: string, options?: OpenOptions): Promise<Engine> => {
  requireRootCertificate(url)
  return openDatabase(url, options)
}

/** Refuses a URL of a database whose sslrootcert cannot be read: no server can be verified without it. */
const requireRootCertificate = (url: string): void => {
  const [, query = ''] = /^postgres[^?]*\?(.*)$/s.exec(url) ?? []
  const path = new URLSearchParams(query).get('sslrootcert') || 'system'
  if (path === 'system') return
  try {
    readFileSync(path)
  } catch (error) {
    unreadable('The sslrootcert of the database', path)(error)
  }
}
