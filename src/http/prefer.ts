import { type Exchange, header } from './exchange.ts'

/** What a caller would like beyond what it must have (RFC 7240). */
export interface Preferences {
  readonly isMinimal: boolean
  /** Parameters that nobody knows are refused instead of ignored. */
  readonly isStrict: boolean
}

const none: Preferences = { isMinimal: false, isStrict: false }

export const readPreferences = (prefer: string | undefined): Preferences => {
  if (prefer === undefined) return none
  const wishes = prefer
    .split(',')
    .map((wish) => wish.split(';', 1)[0]?.replaceAll(/[\s"]/g, '').toLowerCase())
  return {
    isMinimal: first(wishes, 'return') === 'return=minimal',
    isStrict: first(wishes, 'handling') === 'handling=strict',
  }
}

/** Whether a caller would rather be refused than misunderstood. */
export const wantsStrict = (exchange: Exchange) => readPreferences(header(exchange, 'prefer')).isStrict

/** The first of two that contradict one another counts. */
const first = (wishes: readonly (string | undefined)[], name: string) =>
  wishes.find((wish) => wish?.startsWith(`${name}=`))
