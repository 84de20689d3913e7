import type { ErrorBody } from '#http/wire/errors.ts'

interface ProblemType {
  /** The same for every problem of its kind, so it says nothing about this occurrence. */
  readonly title: string
  readonly status: number
  /** Where the codes are explained. */
  readonly typeBase: string
}

/**
 * The error as RFC 9457 defines it, alongside our own fields. JSON.stringify takes twice as long if any text is a
 * concatenation or a slice, so the type is made by `join`.
 */
export const problemJson = (error: ErrorBody, { title, status, typeBase }: ProblemType): string =>
  JSON.stringify({
    type: [typeBase, error.code].join(''),
    title,
    status,
    detail: [error, ...(error.details ?? [])].map(({ message }) => message).join(' '),
    ...error,
  })

interface Occurrence {
  /** The requested path. */
  readonly path: string
  readonly track: string
}

/** Adds the fields specific to one request. Its track needs no escaping. */
export const withOccurrence = (problem: string, { path, track }: Occurrence, basePath: string): string =>
  `${problem.slice(0, -1)},"instance":${JSON.stringify(referenceTo(path, basePath))},"trackId":"${track}"}`

/** An empty reference means the request's own address. Two leading slashes would introduce the name of another host. */
const referenceTo = (path: string, basePath: string) => {
  const whole = path && basePath + path
  return whole.startsWith('//') ? `/.${whole}` : whole
}
