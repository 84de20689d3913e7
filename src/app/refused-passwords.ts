import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { fold } from '#core/fold.ts'
import { type Config, SettingError, throwUnreadable } from '#src/config.ts'

/** A list of this size takes about 10 MB of memory. A longer one would hardly help: attackers try far fewer passwords per account. */
const limitBytes = 2 * 1024 * 1024
const limitLines = 100_000

/** Folding a full list takes 0.1 s, so the event loop serves requests after each portion of lines. */
const linesPerTick = 2_000

/** Opens the list of common passwords in the file that REFUSED_PASSWORDS names. */
export const openRefusedPasswords = async (config: Config) => {
  let list = await readList(config)
  return {
    has: (password: string) => list.size > 0 && list.has(fold(password)),

    /** Reads the list again. If it cannot be read, the old list stays in force. */
    async reload() {
      list = await readList(config)
    },
  }
}

const readList = async (config: Config): Promise<ReadonlySet<string>> => {
  const { REFUSED_PASSWORDS: path, ADMIN_PASSWORD: adminPassword } = config
  if (path === undefined) return new Set()
  const bytes = await buffer(createReadStream(path, { end: limitBytes })).catch(
    throwUnreadable('REFUSED_PASSWORDS', path),
  )
  if (bytes.length > limitBytes) throw refusal(`is larger than ${limitBytes} bytes`)
  if (!isUtf8(bytes)) throw refusal('is not UTF-8')
  const lines = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const passwords = lines.filter((line) => line !== '')
  if (passwords.length > limitLines) throw refusal(`has more than ${limitLines} lines`)
  if (passwords.length === 0) throw refusal('lists no password')
  const list = await foldAll(passwords)
  if (adminPassword !== undefined && list.has(fold(adminPassword)))
    throw new SettingError('ADMIN_PASSWORD is one of REFUSED_PASSWORDS.')
  return list
}

const refusal = (words: string) => new SettingError(`REFUSED_PASSWORDS ${words}.`)

const foldAll = async (passwords: readonly string[]): Promise<ReadonlySet<string>> => {
  const list = new Set<string>()
  for (const [at, password] of passwords.entries()) {
    if (at % linesPerTick === 0) await setImmediate()
    list.add(fold(password))
  }
  return list
}
