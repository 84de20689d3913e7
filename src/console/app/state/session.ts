import type { Challenge } from '#console/app/api/wire.ts'
import { store } from './store.ts'

export interface Session {
  /** While set, nothing continues until somebody signs in. */
  readonly challenge?: Challenge
  /** Whether a sign-in was accepted before, or seemed to be, but no longer is. */
  readonly wasRefused?: boolean
  /** The name used to sign in. */
  readonly name?: string
  /** The name is that of the identity provider: only it knows the user. */
  readonly isProvider?: boolean | undefined
  /** The id of the member, if a member signed in. */
  readonly memberId?: string | undefined
  /** The sign-in to ask for at the user's next action, if the service refused a background request. */
  readonly ended?: Pick<Session, 'challenge' | 'wasRefused'>
}

export interface SignedIn {
  readonly name: string
  readonly isProvider?: boolean
  readonly memberId?: string | undefined
  readonly authorization: string
  /** Gets a new authorization once this one has expired. */
  readonly renew?: () => Promise<SignedIn | undefined>
}

export const session = store<Session>({})

/** Kept only in memory: closing the page signs the user out. */
let signedIn: SignedIn | undefined

let waiting: (() => void)[] = []
let renewing: Promise<SignedIn | undefined> | undefined

/** A renewed authorization that the service has not accepted yet, and that is not renewed again. */
let unproven: string | undefined

export const currentAuthorization = () => signedIn?.authorization

/** The service accepted this authorization. */
export const prove = (authorization: string | undefined) => {
  if (authorization === unproven) unproven = undefined
}

/** Resolves once there is an authorization other than the refused one. */
export const awaitSignIn = async (challenge: Challenge, refused: string | undefined): Promise<void> => {
  if (await isReplaced(refused)) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    if (!session.get().challenge) session.set({ challenge, wasRefused: refused !== undefined })
  })
}

/** For background reads: uses another authorization if there is one; otherwise records that the sign-in has ended, without asking. */
export const renewInBackground = async (
  challenge: Challenge,
  refused: string | undefined,
): Promise<boolean> => {
  if (await isReplaced(refused)) return true
  const now = session.get()
  if (!now.challenge) session.set({ ...now, ended: { challenge, wasRefused: refused !== undefined } })
  return false
}

/** Whether somebody is signed in, or no sign-in is needed, as far as is known. */
export const isSessionActive = ({ challenge, ended }: Session) => !challenge && !ended

/** The user wants to sign in now. */
export const promptSignIn = () => session.set({ ...session.get().ended })

export const signIn = (next: SignedIn) => {
  const { name, isProvider, memberId } = next
  signedIn = next
  session.set({ name, isProvider, memberId })
  const resume = waiting
  waiting = []
  for (const resolve of resume) resolve()
}

/** Forgets everything, including the data on the page, by reloading it. */
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
