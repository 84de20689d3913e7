import { memoizeByObject } from '#core/once.ts'
import type { ChangeFilter, Position } from './change.ts'
import type { Cursors } from './cursor.ts'

/**
 * A cursor without a filter. Its reader has seen everything before it, so it continues with any filter. Caches the last one, because
 * every answer to a write or a list has the newest cursor.
 */
export const changeCursor = (cursors: Cursors, position: Position) => {
  const { logName, number, idEnd } = position
  const last = lastCursorOf(cursors)
  if (last.number === number && last.idEnd === idEnd && last.logName === logName) return last.token
  const block = blockOf(position)
  const token = block ? cursors.seal(block) : cursors.make([logName, number, idEnd], bindingOf(everything))
  return Object.assign(last, { logName, number, idEnd, token }).token
}

const lastCursorOf = memoizeByObject((_: Cursors) => ({ logName: '', number: 0, idEnd: '', token: '' }))

/** Our tokens decrypt to bytes with this prefix. So does one in 16 million altered tokens, which its log name, number or id refuses (decision 0055). */
const prefix = '000000'
const noIdEnd = '00000000'

/** A position in 16 bytes: 3 zeros, 4 of the log's name, 5 of the number, 4 of the change's id. Undefined if it does not fit. */
const blockOf = ({ logName, number, idEnd }: Position) => {
  const digits = number.toString(16).padStart(10, '0')
  const block = Buffer.from(prefix + logName.slice(0, 8) + digits + (idEnd.slice(-8) || noIdEnd), 'hex')
  return block.length === 16 && (idEnd === '' || !idEnd.endsWith(noIdEnd)) ? block : undefined
}

const positionIn = (block: Buffer): Position | undefined => {
  const text = block.toString('hex')
  const idEnd = text.slice(24)
  if (!text.startsWith(prefix)) return undefined
  return {
    logName: text.slice(6, 14),
    number: Number(`0x${text.slice(14, 24)}`),
    idEnd: idEnd === noIdEnd ? '' : idEnd,
  }
}

/** The header field with the cursor. With a salt, the cursor differs each time. */
export const cursorField = (cursors: Cursors, position: Position | undefined, salt = '') => {
  if (position === undefined) return []
  if (salt === '') return ['Change-Cursor', changeCursor(cursors, position)]
  const { logName, number, idEnd } = position
  return ['Change-Cursor', cursors.make([logName, number, idEnd, salt], bindingOf(everything))]
}

export const everything: ChangeFilter = {}

export const cursorFor = (cursors: Cursors, filter: ChangeFilter, position: Position) => {
  if (Object.values(filter).every((value) => value === undefined)) return changeCursor(cursors, position)
  const { logName, number, idEnd } = position
  return cursors.make([logName, number, idEnd], bindingOf(filter))
}

/** The position of a cursor for this filter or for none. Undefined if the cursor is not ours or belongs to another filter. */
export const cursorPosition = (
  cursors: Cursors,
  filter: ChangeFilter,
  token: string,
): Position | undefined => {
  const block = cursors.open(token)
  if (block) return positionIn(block)
  const read = cursors.read(token, bindingOf(filter)) ?? cursors.read(token, bindingOf(everything))
  if (!read) return undefined
  const [logName, number, idEnd] = read
  return { logName: String(logName), number: Number(number), idEnd: String(idEnd) }
}

/** Cursors of earlier releases are bound to `types` and `id` alone. */
const bindingOf = ({ types, id, by, timeFrom, timeTo }: ChangeFilter) => {
  const later = [by, timeFrom, timeTo]
  const given = later.some((value) => value !== undefined) ? later : []
  return `changes ${JSON.stringify([types, id, ...given].map((value) => value ?? null))}`
}
