import type { Random } from './random.ts'

/**
 * What is known of who asks. `full` may do everything and `some` is known but may not do all; `member` is known and
 * sees others reduced; `perhaps` is for what may be right or wrong; `none` must never come in.
 */
export type Standing = 'full' | 'some' | 'member' | 'perhaps' | 'none'

export interface Caller {
  readonly standing: Standing
  /** Whole lines of the head. */
  readonly lines: string
}

/** A member that a session made for itself, where members sign in. */
export interface OwnLogin {
  readonly signId: string
  readonly password: string
}

/** One way to let people in, with those who try to come in. */
export interface Access {
  readonly name: string
  /** What the service is started with. */
  readonly settings: Readonly<Record<string, string>>
  /** What no answer and no line of the log may hold. */
  readonly secrets: readonly string[]
  /** What 401 must say; undefined where nobody is asked. */
  readonly challenge: RegExp | undefined
  /** Somebody who may do everything. */
  readonly keeper: Caller
  /** A member that has to be there before the first request, if any. */
  readonly member: OwnLogin | undefined
  readonly anyCaller: (random: Random, own: OwnLogin | undefined) => Caller
  readonly close: () => void
}

export const line = (value: string): string => `Authorization: ${value}\r\n`

export const passwordCaller = (standing: Standing, { signId, password }: OwnLogin): Caller => ({
  standing,
  lines: line(`Basic ${base64(`${signId}:${password}`)}`),
})

export const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')

/** Everybody may do everything, whatever credential comes. */
export const openToAll = async (): Promise<Access> => ({
  name: 'open',
  settings: { ACCESS: 'open' },
  secrets: [],
  challenge: undefined,
  keeper: { standing: 'full', lines: '' },
  member: undefined,
  anyCaller: (random) => ({
    standing: 'full',
    lines: random.chance(20) ? line(random.pick(ignored)) : '',
  }),
  close: () => {},
})

const ignored: readonly string[] = ['Basic YTpi', 'Basic', 'Basic !!!', 'Bearer x', 'Basic OnA=', 'a\tb', '']
