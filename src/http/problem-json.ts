import type { ErrorBody } from './errors.ts'

interface Occurrence {
  /** What is said of every problem of this kind, and so names nothing of this one. */
  readonly title: string
  readonly status: number
  /** The path that was asked for. */
  readonly instance: string
  readonly trackId: string
  /** Where the codes are explained. */
  readonly typeBase: string
}

/**
 * The error as RFC 9457 has it, with ours beside it. JSON.stringify takes twice as long as soon as one text is put together or a
 * piece of another: the type is joined, and the track, which holds nothing to escape, is written behind.
 */
export const problemJson = (
  error: ErrorBody,
  { title, status, instance, trackId, typeBase }: Occurrence,
): string => {
  const problem = {
    type: [typeBase, error.code].join(''),
    title,
    status,
    detail: [error, ...(error.details ?? [])].map(({ message }) => message).join(' '),
    instance,
    ...error,
  }
  return `${JSON.stringify(problem).slice(0, -1)},"trackId":"${trackId}"}`
}
