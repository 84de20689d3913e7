import type { Engine } from '#sql/engine.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { requireRootCertificate } from '#src/config/root-certificate.ts'

/** Opens the database that a setting or a flag names, once everything that its URL names has been found. */
export const openNamed = async (url: string, options?: OpenOptions): Promise<Engine> => {
  requireRootCertificate(url)
  return openDatabase(url, options)
}
