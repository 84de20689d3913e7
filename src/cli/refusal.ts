import type { ErrorBody } from '#http/wire/errors.ts'
import { Refused } from './exit.ts'
import { visible } from './output.ts'

/** The flags of a command, by the fields of the body that they fill. */
export type Flags = Readonly<Record<string, string>>

/** A refusal of the API in the words of the command. */
export const refusal = (
  { code, message, details = [] }: Pick<ErrorBody, 'code' | 'message' | 'details'>,
  path: string,
  flags: Flags = {},
) => {
  const lines = details.map(({ target = '', message }) =>
    Object.hasOwn(flags, target) ? `${flags[target]}: ${message}` : message,
  )
  const text = [withIds(message, path), ...lines].map(visible).join('\n  ')
  return new Refused(text, [code, ...details.map(({ code }) => code)])
}

/** The service quotes an id as it appears in the path; this shows it without escapes, as the user typed it. */
const withIds = (message: string, path: string) =>
  (path.split('?')[0] ?? '')
    .split('/')
    .filter((segment) => segment.includes('%'))
    .reduce((text, segment) => text.replaceAll(segment, () => decodeURIComponent(segment)), message)
