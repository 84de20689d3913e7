import type { ErrorBody } from './errors.ts'

interface General {
  /** The same for every problem of its kind, so it names nothing of this one. */
  readonly title: string
  readonly status: number
  /** Where the codes are explained. */
  readonly typeBase: string
}

/**
 * The error as RFC 9457 has it, with ours beside it. JSON.stringify takes twice as long if any text is a
 * concatenation or a slice, so the type is made by `join`.
 */
export const problemJson = (error: ErrorBody, { title, status, typeBase }: General): string =>
  JSON.stringify({
    type: [typeBase, error.code].join(''),
    title,
    status,
    detail: [error, ...(error.details ?? [])].map(({ message }) => message).join(' '),
    ...error,
  })

interface Occurrence {
  /** The path that was asked for. */
  readonly path: string
  readonly track: string
}

/** Adds what is of one request. Its track holds nothing to escape. */
export const withOccurrence = (problem: string, { path, track }: Occurrence, basePath: string): string =>
  `${problem.slice(0, -1)},"instance":${JSON.stringify(referenceTo(path, basePath))},"trackId":"${track}"}`

/** An empty reference means the request's own address. Two slashes would begin the name of another host. */
const referenceTo = (path: string, basePath: string) => {
  const whole = path && basePath + path
  return whole.startsWith('//') ? `/.${whole}` : whole
}
