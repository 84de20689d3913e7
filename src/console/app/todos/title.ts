import type { Fault } from '#console/app/api/failure.ts'

/** The title as it is sent: white space around it is a slip of the fingers. */
export const titleOf = (typed: string) => typed.trim()

/** An empty title is not sent, or it would appear in the list until the service refuses it. */
export const missingTitle: Fault = { code: 'NotNull', message: '' }
