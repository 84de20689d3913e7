import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { fold } from '#core/fold.ts'
import { unreadable } from '#src/config/unreadable.ts'
import { type Config, SettingError } from '#src/config.ts'

/** Common passwords, as listed by whoever runs the service. */
export interface RefusedPasswords {
  has(password: string): boolean
  /** Reads the list again. If it cannot be read, the old list stays in force. */
  reload(): Promise<void>
}

/** A full list takes some 10 MB of memory. The passwords that attackers try first are far fewer. */
const limitBytes = 2 * 1024 * 1024
const limitLines = 100_000

/** A full list takes 0.1 s to fold, so other work gets its turn in between. */
const linesPerTurn = 2_000

export const openRefusedPasswords = async (config: Config): Promise<RefusedPasswords> => {
  let list = await readList(config)
  return {
    has: (password) => list.size > 0 && list.has(fold(password)),
    async reload() {
      list = await readList(config)
    },
  }
}

const readList = async ({
  REFUSED_PASSWORDS: path,
  ADMIN_PASSWORD,
}: Config): Promise<ReadonlySet<string>> => {
  if (path === undefined) return new Set()
  const list = await folded(linesOf(await read(path)))
  if (ADMIN_PASSWORD !== undefined && list.has(fold(ADMIN_PASSWORD)))
    throw new SettingError('ADMIN_PASSWORD is one of REFUSED_PASSWORDS.')
  return list
}

const read = async (path: string): Promise<Buffer> => {
  const bytes = await buffer(createReadStream(path, { end: limitBytes })).catch(
    unreadable('REFUSED_PASSWORDS', path),
  )
  if (bytes.length <= limitBytes) return bytes
  throw new SettingError(`REFUSED_PASSWORDS is larger than ${limitBytes} bytes.`)
}

const linesOf = (bytes: Buffer): readonly string[] => {
  const lines = decoded(bytes)
    .split(/\r?\n/)
    .filter((line) => line !== '')
  if (lines.length > limitLines)
    throw new SettingError(`REFUSED_PASSWORDS has more than ${limitLines} lines.`)
  if (lines.length === 0) throw new SettingError('REFUSED_PASSWORDS lists no password.')
  return lines
}

const decoded = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new SettingError('REFUSED_PASSWORDS is not UTF-8.')
  }
}

const folded = async (lines: readonly string[]): Promise<ReadonlySet<string>> => {
  const list = new Set<string>()
  for (const [at, line] of lines.entries()) {
    if (at % linesPerTurn === 0) await setImmediate()
    list.add(fold(line))
  }
  return list
}
