import { readFileSync } from 'node:fs'
import { unreadable } from '#src/config/unreadable.ts'
import { requireOurs, SettingError, type Texts } from '#src/config.ts'

/** The settings in a settings file. A malformed line is an error, because it may have been meant to restrict access. */
export const readSettingsFile = (path: string): Texts => {
  const values = new Map<string, string>()
  for (const [index, line] of linesOf(path).entries()) {
    const place = `line ${index + 1} of ${path}`
    const pair = pairOf(line.trim(), place)
    if (!pair) continue
    const [name, value] = pair
    requireOurs(name, ` in ${place}`)
    if (values.has(name)) throw new SettingError(`SETTINGS_FILE: ${place} sets ${name} a second time.`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

const linesOf = (path: string): readonly string[] => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).split(/\r?\n/)
  } catch (error) {
    return unreadable('SETTINGS_FILE', path)(error)
  }
}

/** The name and value on a line; undefined for an empty line or a comment. */
const pairOf = (line: string, place: string): readonly [string, string] | undefined => {
  if (line === '' || line.startsWith('#')) return undefined
  const [, name, value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? []
  if (name === undefined)
    throw new SettingError(`SETTINGS_FILE: ${place} is neither NAME=value nor a comment.`)
  const [quote = ''] = /^["']/.exec(value) ?? []
  if (quote === '') return [name, requirePlain(value, place)]
  if (value.length > 1 && value.endsWith(quote)) return [name, value.slice(1, -1)]
  throw new SettingError(
    `SETTINGS_FILE: ${place} has a value that begins with a quote but does not end with it.`,
  )
}

/** A note behind a value would become part of it, which nobody would notice in a password. */
const requirePlain = (value: string, place: string): string => {
  if (!/(?:^|\s)#/.test(value)) return value
  throw new SettingError(
    `SETTINGS_FILE: ${place} has a value with a # at its beginning or after a space. Put quotes around the value if the # belongs to it, or a comment on a line of its own.`,
  )
}
