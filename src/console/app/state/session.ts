import type { Challenge } from '#console/app/api/challenge.ts'
import { store } from './store.ts'

export interface Session {
  /** Where there is one, nothing goes on until somebody signs in. */
  readonly challenge?: Challenge
  /** Whether a sign-in was good once, or seemed so, and is no longer. */
  readonly wasRefused?: boolean
  /** The name one signed in with. */
  readonly name?: string
  /** The member that one is, where one signed in as a member. */
  readonly memberId?: string | undefined
  /** What will be asked at the next action of the person, who was not at it when the service refused. */
  readonly ended?: Pick<Session, 'challenge' | 'wasRefused'>
}

export interface SignedIn {
  readonly name: string
  readonly memberId?: string | undefined
  readonly authorization: string
  /** Gets a new authorization where this one has run out. */
  readonly renew?: () => Promise<SignedIn | undefined>
}

export const session = store<Session>({})

/** Kept in memory only: whoever closes the page is signed out. */
let signedIn: SignedIn | undefined

let waiting: (() => void)[] = []
let renewing: Promise<SignedIn | undefined> | undefined

/** An authorization that was renewed and that the service has not taken yet: it is not renewed once more. */
let unproven: string | undefined

export const currentAuthorization = () => signedIn?.authorization

/** The service took it. */
export const prove = (authorization: string | undefined) => {
  if (authorization === unproven) unproven = undefined
}

/** Resolves once there is another authorization than the one that was refused. */
export const awaitSignIn = async (challenge: Challenge, refused: string | undefined): Promise<void> => {
  if (await isReplaced(refused)) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (!session.get().challenge) session.set({ challenge, wasRefused: refused !== undefined })
  })
}

/** For what no person asked for: takes another authorization where there is one, else says without asking that it has ended. */
export const renewUnasked = async (challenge: Challenge, refused: string | undefined): Promise<boolean> => {
  if (await isReplaced(refused)) return true
  const now = session.get()
  if (!now.challenge) session.set({ ...now, ended: { challenge, wasRefused: refused !== undefined } })
  return false
}

/** Whether somebody is signed in, or nobody need be, as far as is known. */
export const isGoingOn = ({ challenge, ended }: Session) => !challenge && !ended

/** The person wants to sign in now. */
export const askNow = () => session.set({ ...session.get().ended })

export const signIn = (next: SignedIn) => {
  signedIn = next
  session.set({ name: next.name, memberId: next.memberId })
  const resume = waiting
  waiting = []
  for (const resolve of resume) resolve()
}

/** Forgets everything: what was shown goes with the page. */
export const signOut = () => location.reload()

const isReplaced = async (refused: string | undefined) =>
  refused !== signedIn?.authorization || (refused !== unproven && (await renew()))

const renew = async (): Promise<boolean> => {
  renewing ??= signedIn?.renew?.().catch(() => undefined)
  const next = await renewing
  renewing = undefined
  if (!next) return false
  unproven = next.authorization
  signIn(next)
  return true
}
