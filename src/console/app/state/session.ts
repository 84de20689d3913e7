import type { Challenge } from '#console/app/api/fetch.ts'
import { dropLogin, findLogin, type Login, listenToTabs, postToTabs, storeLogin } from './login.ts'
import { store } from './store.ts'

export interface Session {
  /** The sign-in that the service requires. While it is set, the console waits until the user signs in. */
  readonly challenge?: Challenge
  /** Set if an earlier sign-in is no longer accepted. */
  readonly wasRefused?: boolean
  /** The name used to sign in. */
  readonly name?: string
  /** Set if `name` is the host of the identity provider, because only the provider knows the name of the user. */
  readonly isHost?: boolean | undefined
  /** The name of the user whose sign-in has ended. It prefills the next sign-in. */
  readonly formerName?: string | undefined
  /** The id of the member, if a member signed in. */
  readonly memberId?: string | undefined
  /** Set if the service refused a background request: the sign-in that the user's next action will ask for. */
  readonly ended?: Pick<Session, 'challenge' | 'wasRefused'>
}

export interface ActiveSignIn {
  readonly name: string
  readonly isHost?: boolean
  readonly memberId?: string | undefined
  readonly authorization: string
  /** The part that may be stored and sent to other tabs. */
  readonly login?: Login
  /** Gets a new authorization in place of an expired one. */
  readonly renew?: () => Promise<ActiveSignIn | undefined>
}

const signInOf = (login: Login): ActiveSignIn => {
  const { name, memberId, token } = login
  return { name, memberId, authorization: `Bearer ${token}`, login }
}

const sessionOf = ({ name, isHost, memberId }: ActiveSignIn): Session => ({
  name,
  isHost,
  memberId,
})

const storedLogin = findLogin()

/** The sign-in of this tab. Tokens of an identity provider are only held here, so closing the page signs the user out. */
let signedIn: ActiveSignIn | undefined = storedLogin && signInOf(storedLogin)

export const session = store<Session>(signedIn ? sessionOf(signedIn) : {})

let waitingRequests: (() => void)[] = []
let renewing: Promise<ActiveSignIn | undefined> | undefined

/** A renewed authorization that the service has not accepted yet. If the service refuses it, it is not renewed again. */
let unacceptedRenewal: string | undefined

export const currentAuthorization = () => signedIn?.authorization

/** Records that the service accepted this authorization. */
export const markAccepted = (authorization: string | undefined) => {
  if (authorization === unacceptedRenewal) unacceptedRenewal = undefined
}

/** Resolves once there is an authorization other than the refused one. */
export const awaitSignIn = async (challenge: Challenge, refused: string | undefined): Promise<void> => {
  if (await replaceRefused(challenge, refused)) return
  await new Promise<void>((resolve) => {
    waitingRequests.push(resolve)
    const { challenge: current, name: formerName } = session.get()
    if (!current) session.set({ challenge, wasRefused: refused !== undefined, formerName })
  })
}

/** For background reads: true if there is another authorization. Otherwise records that the sign-in has ended, without asking. */
export const renewInBackground = async (
  challenge: Challenge,
  refused: string | undefined,
): Promise<boolean> => {
  if (await replaceRefused(challenge, refused)) return true
  const now = session.get()
  if (!now.challenge) session.set({ ...now, ended: { challenge, wasRefused: refused !== undefined } })
  return false
}

/** True if requests can be sent, because the user is signed in or the service has not asked for a sign-in. */
export const isSessionActive = ({ challenge, ended }: Session) => !challenge && !ended

/** Opens the sign-in, for a user who wants to sign in now. */
export const promptSignIn = () => {
  const { ended, name: formerName } = session.get()
  session.set({ ...ended, formerName })
}

export const signIn = (next: ActiveSignIn) => {
  signedIn = next
  if (next.login) storeLogin(next.login)
  session.set(sessionOf(next))
  const resume = waitingRequests
  waitingRequests = []
  for (const resolve of resume) resolve()
}

/** Signs in with a token that was made for a password. Also signs in other tabs that wait for a sign-in of the same user. */
export const signInEverywhere = (login: Login) => {
  signIn(signInOf(login))
  postToTabs({ login })
}

/** True if the sign-in of this tab survives closing the browser. */
export const isSignInLasting = () => signedIn?.login?.isLasting === true

/** Deletes the token here and in the other tabs. False if this tab has none. */
export const forgetSignIn = (): boolean => {
  if (!signedIn?.login) return false
  postToTabs('signed out')
  dropLogin()
  signedIn = undefined
  return true
}

/** If the page is not reloaded within this time, the user has chosen to stay on it. */
const maxReloadMs = 1_000

/** Reloads the page, so that its data is forgotten. If the user stays on the page, the sign-in dialog covers it. */
export const leave = () => {
  session.set({})
  location.reload()
  setTimeout(() => session.set({ challenge: { scheme: 'basic' } }), maxReloadMs)
}

const replaceRefused = async (challenge: Challenge, refused: string | undefined) => {
  if (refused !== signedIn?.authorization) return true
  if (signedIn?.login) dropLogin(signedIn.login.token)
  if (refused === undefined || refused !== unacceptedRenewal) await renew(challenge)
  // Meanwhile the user may have signed in.
  return refused !== signedIn?.authorization
}

const renew = async (challenge: Challenge) => {
  renewing ??= challenge.scheme === 'basic' ? findNewerLogin() : signedIn?.renew?.().catch(() => undefined)
  const next = await renewing
  renewing = undefined
  if (!next) return
  unacceptedRenewal = next.authorization
  signIn(next)
}

/** The longest wait for a login of another tab before the user is asked. A later login is still accepted. */
const tabTimeoutMs = 150

/** Set while this tab waits for a login of another tab: receives that login. */
let receiveLogin: ((login: Login) => void) | undefined

/** Finds a newer login of the same user, in the storage of the browser or in another tab. */
const findNewerLogin = async (): Promise<ActiveSignIn | undefined> => {
  const stored = findLogin()
  if (stored && mayReplaceLogin(stored)) return signInOf(stored)
  const fromTab = new Promise<Login | undefined>((resolve) => {
    receiveLogin = resolve
    setTimeout(() => resolve(undefined), tabTimeoutMs)
  })
  postToTabs('asked')
  const login = await fromTab
  receiveLogin = undefined
  return login && signInOf(login)
}

/** True for a new login of the same user. Input on this page must not be sent in the name of another user. */
const mayReplaceLogin = ({ token, memberId }: Login) =>
  !signedIn || (token !== signedIn.login?.token && memberId === signedIn.memberId)

listenToTabs({
  getLogin: () => (isSessionActive(session.get()) ? signedIn?.login : undefined),
  onSignIn(login) {
    if (!mayReplaceLogin(login)) return
    if (receiveLogin) receiveLogin(login)
    else if (!isSessionActive(session.get())) signIn(signInOf(login))
  },
  onSignOut() {
    if (!signedIn?.login) return
    // Deletes only this login, because another user may have signed in since.
    dropLogin(signedIn.login.token)
    signedIn = undefined
    leave()
  },
})
