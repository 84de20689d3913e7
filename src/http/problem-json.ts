import type { ErrorBody } from './errors.ts'

interface Occurrence {
  readonly status: number
  /** The path that was asked for. */
  readonly instance: string
  readonly trackId: string
  /** Where the codes are explained. */
  readonly typeBase: string
}

/** The error as RFC 9457 has it, with ours beside it. */
export const problemJson = (error: ErrorBody, { status, instance, trackId, typeBase }: Occurrence) => ({
  type: `${typeBase}${error.code}`,
  title: error.message,
  status,
  detail: [error, ...(error.details ?? [])].map(({ message }) => message).join(' '),
  instance,
  ...error,
  trackId,
})
