import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { freshFolder } from './fresh-folder.ts'

/** The reason why no certificate can be made, or false. */
export const noOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version']).length === 0
  } catch {
    return 'openssl, which makes the certificates, is not installed'
  }
})()

export const ellipticKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

/** The settings for a fresh self-signed certificate. */
export const certificate = (name = 'localhost', newKey = ellipticKey, days = 1) => {
  const folder = freshFolder()
  const [TLS_KEY, TLS_CERT] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/CN=${name}`, '-nodes', '-days', String(days)]
  execFileSync('openssl', ['req', '-x509', ...newKey, ...subject, '-keyout', TLS_KEY, '-out', TLS_CERT], {
    stdio: 'ignore',
  })
  return { TLS_KEY, TLS_CERT }
}
