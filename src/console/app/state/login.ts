import { readStored, writeStored } from './browser-storage.ts'

/** A sign-in with a password, as tabs store and exchange it: with a token, never with the password. */
export interface Login {
  readonly name: string
  /** The id of the member; absent for the configured administrator. */
  readonly memberId?: string | undefined
  readonly token: string
  /** Whether the browser stores the login, and not only the tab. */
  readonly isLasting: boolean
}

const key = 'rollcall.login'
const places = ['sessionStorage', 'localStorage'] as const

/** The login of this tab, or else of the browser. */
export const findLogin = (): Login | undefined => {
  for (const place of places) {
    const kept = readLogin(place)
    if (kept) return kept
  }
  return undefined
}

export const storeLogin = (login: Login) => {
  writeStored('sessionStorage', key, JSON.stringify(login))
  if (login.isLasting) writeStored('localStorage', key, JSON.stringify(login))
}

/** Forgets the login with this token, or any login. */
export const dropLogin = (token?: string) => {
  for (const place of places)
    if (token === undefined || readLogin(place)?.token === token) writeStored(place, key, undefined)
}

const readLogin = (place: (typeof places)[number]): Login | undefined => {
  try {
    return (JSON.parse(readStored(place, key) ?? 'null') as Login | null) ?? undefined
  } catch {
    return undefined
  }
}

type Message = { readonly login: Login } | 'asked' | 'signed out'

/** The tabs of this origin. */
const tabs = new BroadcastChannel(key)

interface Listener {
  /** Returns the login for another tab that asks for it. */
  readonly login: () => Login | undefined
  readonly heard: (login: Login) => void
  readonly signedOut: () => void
}

export const listenToTabs = ({ login, heard, signedOut }: Listener) => {
  tabs.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (message === 'signed out') return signedOut()
    if (message !== 'asked') return heard(message.login)
    const stored = login()
    if (stored) postToTabs({ login: stored })
  }
}

/** Sends a message to all other tabs. */
export const postToTabs = (message: Message) => tabs.postMessage(message)
