import { readStored, writeStored } from './browser-storage.ts'

/** A sign-in with a password, as tabs store it and send it to each other. It has a token, never the password. */
export interface Login {
  readonly name: string
  /** The id of the member; absent for the configured administrator. */
  readonly memberId?: string | undefined
  readonly token: string
  /** Set if the login is stored in the browser, and not only in the tab. */
  readonly isLasting: boolean
}

const key = 'rollcall.login'
const storages = ['sessionStorage', 'localStorage'] as const

/** The login that is stored in this tab or, without one, in the browser. */
export const findLogin = (): Login | undefined => {
  for (const storage of storages) {
    const login = readLogin(storage)
    if (login) return login
  }
  return undefined
}

export const storeLogin = (login: Login) => {
  writeStored('sessionStorage', key, JSON.stringify(login))
  if (login.isLasting) writeStored('localStorage', key, JSON.stringify(login))
}

/** Deletes the stored login with this token. Without a token, deletes any login. */
export const dropLogin = (token?: string) => {
  for (const storage of storages)
    if (token === undefined || readLogin(storage)?.token === token) writeStored(storage, key, undefined)
}

const readLogin = (storage: (typeof storages)[number]): Login | undefined => {
  try {
    return (JSON.parse(readStored(storage, key) ?? 'null') as Login | null) ?? undefined
  } catch {
    return undefined
  }
}

type Message = { readonly login: Login } | 'asked' | 'signed out'

/** The channel between the tabs of this origin. */
const tabs = new BroadcastChannel(key)

interface Listener {
  /** Returns the login for another tab that asks for it. */
  readonly getLogin: () => Login | undefined
  readonly onSignIn: (login: Login) => void
  readonly onSignOut: () => void
}

export const listenToTabs = ({ getLogin, onSignIn, onSignOut }: Listener) => {
  tabs.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (message === 'signed out') return onSignOut()
    if (message !== 'asked') return onSignIn(message.login)
    const stored = getLogin()
    if (stored) postToTabs({ login: stored })
  }
}

/** Sends a message to all other tabs. */
export const postToTabs = (message: Message) => tabs.postMessage(message)
