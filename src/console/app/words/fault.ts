import type { Fault } from '#console/app/api/failure.ts'
import { isolated } from './isolated.ts'
import type { Words } from './words.ts'

/** The fault of a field, shown next to it. Faults without a text of the page are shown in the words of the service. */
export const faultText = ({ code, message }: Fault, { faults }: Words): string => {
  if (code === 'Size') return sizeText(message, faults) ?? message
  if (code === 'e.xx.yy.8001') return faults.signIdInUse(isolated(message.replace(/^.*? : /s, '')))
  return (faults.plain as Readonly<Record<string, string>>)[code] ?? message
}

/** The limits appear only in the service's message. */
const sizeText = (message: string, { longest, between }: Words['faults']) => {
  const [min, max] = message.match(/\d+/g) ?? []
  if (min === undefined || max === undefined) return undefined
  return min === '0' ? longest(max) : between(min, max)
}
