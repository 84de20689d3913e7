import { memoizeByObject } from '#core/once.ts'
import type { ChangeFilter, Position } from './change.ts'
import type { Cursors } from './cursor.ts'

/**
 * A cursor that is valid with any filter, because its reader has seen every change before it. Caches the newest one, because
 * every answer to a write or a list has it.
 */
export const changeCursor = (cursors: Cursors, position: Position) => {
  const { logName, number, idSuffix } = position
  const cached = cachedCursorOf(cursors)
  if (cached.number === number && cached.idSuffix === idSuffix && cached.logName === logName)
    return cached.token
  const block = blockOf(position)
  const token = block
    ? cursors.encryptBlock(block)
    : cursors.make([logName, number, idSuffix], bindingOf(noFilter))
  return Object.assign(cached, { logName, number, idSuffix, token }).token
}

const cachedCursorOf = memoizeByObject((_: Cursors) => ({ logName: '', number: 0, idSuffix: '', token: '' }))

/** Our tokens decrypt to bytes with this prefix. So does one in 16 million altered tokens; it is refused later, because it names no change (decision 0055). */
const prefix = '000000'
const noIdSuffix = '00000000'

/** A position in 16 bytes: 3 zeros, 4 of the log's name, 5 of the number, 4 of the change's id. Undefined if the position does not fit. */
const blockOf = ({ logName, number, idSuffix }: Position) => {
  const digits = number.toString(16).padStart(10, '0')
  const block = Buffer.from(prefix + logName.slice(0, 8) + digits + (idSuffix.slice(-8) || noIdSuffix), 'hex')
  return block.length === 16 && (idSuffix === '' || !idSuffix.endsWith(noIdSuffix)) ? block : undefined
}

const positionIn = (block: Buffer): Position | undefined => {
  const text = block.toString('hex')
  const idSuffix = text.slice(24)
  if (!text.startsWith(prefix)) return undefined
  return {
    logName: text.slice(6, 14),
    number: Number(`0x${text.slice(14, 24)}`),
    idSuffix: idSuffix === noIdSuffix ? '' : idSuffix,
  }
}

/** The header field with the cursor. A random salt makes each cursor different, so that it does not reveal whether anything changed. */
export const cursorField = (cursors: Cursors, position: Position | undefined, salt = '') => {
  if (position === undefined) return []
  if (salt === '') return ['Change-Cursor', changeCursor(cursors, position)]
  const { logName, number, idSuffix } = position
  return ['Change-Cursor', cursors.make([logName, number, idSuffix, salt], bindingOf(noFilter))]
}

export const noFilter: ChangeFilter = {}

export const cursorFor = (cursors: Cursors, filter: ChangeFilter, position: Position) => {
  if (Object.values(filter).every((value) => value === undefined)) return changeCursor(cursors, position)
  const { logName, number, idSuffix } = position
  return cursors.make([logName, number, idSuffix], bindingOf(filter))
}

/** The position of a cursor for this filter or for none. Undefined if the cursor is not ours or belongs to another filter. */
export const cursorPosition = (
  cursors: Cursors,
  filter: ChangeFilter,
  token: string,
): Position | undefined => {
  const block = cursors.decryptBlock(token)
  if (block) return positionIn(block)
  const read = cursors.read(token, bindingOf(filter)) ?? cursors.read(token, bindingOf(noFilter))
  if (!read) return undefined
  const [logName, number, idSuffix] = read
  return { logName: String(logName), number: Number(number), idSuffix: String(idSuffix) }
}

/** Identifies the filter that a cursor is valid for. The newest three parameters are left out if unset: earlier releases had none. */
const bindingOf = ({ types, id, author, timeFrom, timeTo }: ChangeFilter) => {
  const newer = [author, timeFrom, timeTo]
  const sentNewer = newer.some((value) => value !== undefined) ? newer : []
  return `changes ${JSON.stringify([types, id, ...sentNewer].map((value) => value ?? null))}`
}
