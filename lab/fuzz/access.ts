import type { Random } from '#lab/random.ts'

/**
 * What is known about a caller. `full` may do everything; `some` is authenticated but may not do everything; `member`
 * is authenticated and sees a reduced view of others; `perhaps` may or may not be accepted; `none` must be refused.
 */
export type Standing = 'full' | 'some' | 'member' | 'perhaps' | 'none'

export interface Caller {
  readonly standing: Standing
  /** Complete header lines. */
  readonly lines: string
}

/** A member that a session created for itself, where members sign in. */
export interface OwnLogin {
  readonly signId: string
  readonly password: string
}

/** One access mode, with callers who try to get in. */
export interface Access {
  readonly name: string
  /** The settings the service is started with. */
  readonly settings: Readonly<Record<string, string>>
  /** What no response and no log line may contain. */
  readonly secrets: readonly string[]
  /** The challenge of a 401; undefined where no credential is required. */
  readonly challenge: RegExp | undefined
  /** A caller who may do everything. */
  readonly keeper: Caller
  /** A member that must exist before the first request, if needed. */
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

/** Every caller may do everything, whatever the credential. */
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
