import { readFileSync } from 'node:fs'
import { messageOf } from '#core/cause.ts'
import { SettingError, type Texts } from '#src/config.ts'

/** What the lines of a settings file say. One that says nothing known stops the start: it may have been meant to close a door. */
export const readSettingsFile = (path: string): Texts =>
  Object.fromEntries(
    linesOf(path).flatMap((line, index) => pairOf(line.trim(), `line ${index + 1} of ${path}`)),
  )

const linesOf = (path: string): readonly string[] => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).split(/\r?\n/)
  } catch (error) {
    throw new SettingError(`SETTINGS_FILE cannot be read: ${messageOf(error)}.`)
  }
}

const pairOf = (line: string, place: string): readonly (readonly [string, string])[] => {
  if (line === '' || line.startsWith('#')) return []
  const [, name, value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? []
  if (name === undefined)
    throw new SettingError(`SETTINGS_FILE: ${place} is neither NAME=value nor a comment.`)
  const [quote = ''] = /^["']/.exec(value) ?? []
  if (quote === '') return [[name, value]]
  if (value.length > 1 && value.endsWith(quote)) return [[name, value.slice(1, -1)]]
  throw new SettingError(
    `SETTINGS_FILE: ${place} has a value that begins with a quote and does not end with it.`,
  )
}
