import type { Event, Op } from './event.ts'

const line =
  /^(?<process>-?\d+) (?<from>[\d.]+)-(?<to>[\d.]+|\?) (?<op>\w+)(?: (?<key>[^\s=!]+))?(?: (?<value>[^\s=!]+))?(?: = (?<seen>\S+))?(?: ! (?<error>.+))?$/

/**
 * A history in shorthand, with a semicolon between operations: `1 2-3 cas k a/0>b/0 ! changed` is a cas by process 1 from second 2
 * to 3 (`?` for no end); `= value` is what was seen, with `nothing` for null, and `-` stands for no key.
 */
export const parseHistory = (text: string): Event[] =>
  text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .flatMap(both)
    .sort((a, b) => a.ns - b.ns || order(a) - order(b))

const both = (one: string): Event[] => {
  const parts = line.exec(one)?.groups
  if (!parts) throw new Error(`not an operation of a history: ${one}`)
  const [left, right] = (parts.value ?? '').split('>')
  const head = {
    process: Number(parts.process),
    op: parts.op as Op,
    key: parts.key === '-' ? undefined : parts.key,
  }
  const value = right ?? left
  const values = { value: value === '' ? undefined : value, from: right === undefined ? undefined : left }
  const invoke: Event = { ...head, ...values, type: 'invoke', ns: Number(parts.from) * 1e9 }
  if (parts.to === '?') return [invoke, { ...head, type: 'info', ns: Number(parts.from) * 1e9 + 1 }]
  const seen = parts.seen === 'nothing' ? null : parts.seen
  const type = parts.error ? 'fail' : 'ok'
  return [invoke, { ...head, type, value: seen, error: parts.error, ns: Number(parts.to) * 1e9 }]
}

const order = ({ type }: Event) => (type === 'invoke' ? 1 : 0)
