import type { Challenge } from '#console/app/api/fetch.ts'
import { dropLogin, findLogin, type Login, listenToTabs, postToTabs, storeLogin } from './login.ts'
import { store } from './store.ts'

export interface Session {
  /** While set, the console waits until somebody signs in. */
  readonly challenge?: Challenge
  /** Whether an earlier sign-in is no longer accepted. */
  readonly wasRefused?: boolean
  /** The name used to sign in. */
  readonly name?: string
  /** Whether the name is that of the identity provider, because only the provider knows the user. */
  readonly isProvider?: boolean | undefined
  /** The name of the user whose sign-in has ended, to prefill the next sign-in. */
  readonly former?: string | undefined
  /** The id of the member, if a member signed in. */
  readonly memberId?: string | undefined
  /** The sign-in to ask for at the user's next action, if the service refused a background request. */
  readonly ended?: Pick<Session, 'challenge' | 'wasRefused'>
}

export interface ActiveSignIn {
  readonly name: string
  readonly isProvider?: boolean
  readonly memberId?: string | undefined
  readonly authorization: string
  /** The part that may be stored and sent to other tabs. */
  readonly login?: Login
  /** Gets a new authorization once this one has expired. */
  readonly renew?: () => Promise<ActiveSignIn | undefined>
}

const signInOf = (login: Login): ActiveSignIn => {
  const { name, memberId, token } = login
  return { name, memberId, authorization: `Bearer ${token}`, login }
}

const sessionOf = ({ name, isProvider, memberId }: ActiveSignIn): Session => ({ name, isProvider, memberId })

const storedLogin = findLogin()

/** Tokens of an identity provider are only in memory: closing the page signs the user out. */
let signedIn: ActiveSignIn | undefined = storedLogin && signInOf(storedLogin)

export const session = store<Session>(signedIn ? sessionOf(signedIn) : {})

let waiting: (() => void)[] = []
let renewing: Promise<ActiveSignIn | undefined> | undefined

/** A renewed authorization that the service has not accepted yet. If it is refused, it is not renewed again. */
let unacceptedRenewal: string | undefined

export const currentAuthorization = () => signedIn?.authorization

/** The service accepted this authorization. */
export const markAccepted = (authorization: string | undefined) => {
  if (authorization === unacceptedRenewal) unacceptedRenewal = undefined
}

/** Resolves once there is an authorization other than the refused one. */
export const awaitSignIn = async (challenge: Challenge, refused: string | undefined): Promise<void> => {
  if (await isReplaced(challenge, refused)) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    const { challenge: asked, name: former } = session.get()
    if (!asked) session.set({ challenge, wasRefused: refused !== undefined, former })
  })
}

/** For background reads: uses another authorization if there is one; otherwise records that the sign-in has ended, without asking. */
export const renewInBackground = async (
  challenge: Challenge,
  refused: string | undefined,
): Promise<boolean> => {
  if (await isReplaced(challenge, refused)) return true
  const now = session.get()
  if (!now.challenge) session.set({ ...now, ended: { challenge, wasRefused: refused !== undefined } })
  return false
}

/** Whether somebody is signed in, or no sign-in is needed, as far as is known. */
export const isSessionActive = ({ challenge, ended }: Session) => !challenge && !ended

/** The user wants to sign in now. */
export const promptSignIn = () => {
  const { ended, name: former } = session.get()
  session.set({ ...ended, former })
}

export const signIn = (next: ActiveSignIn) => {
  signedIn = next
  if (next.login) storeLogin(next.login)
  session.set(sessionOf(next))
  const resume = waiting
  waiting = []
  for (const resolve of resume) resolve()
}

/** Signs in with a token that was made for a password, also the tabs that wait for a sign-in of the same user. */
export const signInEverywhere = (login: Login) => {
  signIn(signInOf(login))
  postToTabs({ login })
}

/** Whether the sign-in of this tab survives closing the browser. */
export const staysSignedIn = () => signedIn?.login?.isLasting === true

/** Forgets a token, here and in the other tabs. False if there is none. */
export const forgetSignIn = (): boolean => {
  if (!signedIn?.login) return false
  postToTabs('signed out')
  dropLogin()
  signedIn = undefined
  return true
}

/** After this time without a reload, the user has chosen to stay on the page. */
const keptAfterMs = 1_000

/** Reloads the page, so that its data is forgotten. If the user stays, the sign-in covers the page. */
export const leave = () => {
  session.set({})
  location.reload()
  setTimeout(() => session.set({ challenge: { scheme: 'basic' } }), keptAfterMs)
}

const isReplaced = async (challenge: Challenge, refused: string | undefined) => {
  if (refused !== signedIn?.authorization) return true
  if (signedIn?.login) dropLogin(signedIn.login.token)
  return (refused === undefined || refused !== unacceptedRenewal) && renew(challenge)
}

const renew = async (challenge: Challenge): Promise<boolean> => {
  renewing ??= challenge.scheme === 'basic' ? findOtherLogin() : signedIn?.renew?.().catch(() => undefined)
  const next = await renewing
  renewing = undefined
  if (!next) return false
  unacceptedRenewal = next.authorization
  signIn(next)
  return true
}

/** How long to wait for the sign-in of another tab before asking the user. A later answer still counts. */
const tabTimeoutMs = 150

/** While this tab waits for the answer of another. */
let answered: ((login: Login) => void) | undefined

/** Finds a login that the browser stores or another tab has. */
const findOtherLogin = async (): Promise<ActiveSignIn | undefined> => {
  const kept = findLogin()
  if (kept && isNewerOfSameUser(kept)) return signInOf(kept)
  const fromTab = new Promise<Login | undefined>((resolve) => {
    answered = resolve
    setTimeout(() => resolve(undefined), tabTimeoutMs)
  })
  postToTabs('asked')
  const login = await fromTab
  answered = undefined
  return login && signInOf(login)
}

/** Whether this login is a new one of the same user. Input on this page must not be sent as another user's. */
const isNewerOfSameUser = ({ token, memberId }: Login) =>
  !signedIn || (token !== signedIn.login?.token && memberId === signedIn.memberId)

listenToTabs({
  login: () => (isSessionActive(session.get()) ? signedIn?.login : undefined),
  heard(login) {
    if (!isNewerOfSameUser(login)) return
    if (answered) answered(login)
    else if (!isSessionActive(session.get())) signIn(signInOf(login))
  },
  signedOut() {
    if (!signedIn?.login) return
    // Only this login, because somebody may have signed in since.
    dropLogin(signedIn.login.token)
    signedIn = undefined
    leave()
  },
})
