import { readFileSync } from 'node:fs'
import { unreadable } from './unreadable.ts'

/** Refuses a URL of a database whose sslrootcert cannot be read: no server can be verified without it. */
export const requireRootCertificate = (url: string): void => {
  const [, query = ''] = /^postgres[^?]*\?(.*)$/s.exec(url) ?? []
  const path = new URLSearchParams(query).get('sslrootcert') || 'system'
  if (path === 'system') return
  try {
    readFileSync(path)
  } catch (error) {
    unreadable('The sslrootcert of the database', path)(error)
  }
}
