import { readFileSync, statSync } from 'node:fs'
import { rootCauseOf } from '#core/cause.ts'

interface LoginTarget {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

interface PassfileResult {
  readonly password?: string | undefined
  /** The reason if the file is not used. */
  readonly fault?: string | undefined
}

/**
 * Finds a password in a file of `host:port:database:user:password` lines, by the rules of libpq
 * (https://www.postgresql.org/docs/current/libpq-pgpass.html): the first match counts, and a file that others may read is ignored.
 */
export const passwordIn = (path: string, target: LoginTarget): PassfileResult => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return {}
    if (!stat.isFile()) return { fault: `${path} is not a file` }
    if ((stat.mode & groupAndOthersMode) !== 0)
      return { fault: `others may read ${path}, so it is ignored (chmod 0600)` }
    return { password: passwordFor(target, readFileSync(path, 'utf8')) }
  } catch (error) {
    return { fault: `${path} cannot be read: ${rootCauseOf(error)}` }
  }
}

const groupAndOthersMode = 0o077

const passwordFor = ({ host, port, database, user }: LoginTarget, text: string) => {
  // A line for `localhost` also applies to a Unix socket.
  const hosts = host.startsWith('/') ? [host, 'localhost'] : [host]
  const acceptedValues = [hosts, [String(port)], [database], [user]]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = fieldsOf(line)
    const isMatch = acceptedValues.every(
      (values, at) => fields[at] === '*' || values.includes(unescapeField(fields[at])),
    )
    if (isMatch && fields[4]) return unescapeField(fields[4])
  }
  return undefined
}

/** A backslash escapes a colon or backslash in a field. */
const fieldsOf = (line: string) =>
  Array.from(line.matchAll(/((?:\\.|[^:\\]|\\$)*)(?::|$)/g), ([, field]) => field)

const unescapeField = (field = '') => field.replace(/\\(.)/g, '$1')
