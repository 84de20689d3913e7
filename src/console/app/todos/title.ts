import type { Fault } from '#console/app/api/failure.ts'

/** The title as it is sent: white space around it is a slip of the fingers. */
export const titleOf = (typed: string) => typed.trim()

/** The limit of the service, counted as the service counts, in code points. */
export const maxTitleLength = 30

export const lengthOf = (title: string) => [...title].length

/** What is not sent, or it would appear in the list until the service refuses it: nothing, and what is seen to be too long. */
export const faultOf = (title: string): Fault | undefined => {
  if (title === '') return { code: 'NotNull', message: '' }
  return lengthOf(title) > maxTitleLength ? { code: 'Size', message: `1 ${maxTitleLength}` } : undefined
}
