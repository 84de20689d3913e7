import { type Answer, type Done, RollcallError, rollcall, type Stretch, unwrap } from '#client/index.ts'
import { awaitSignIn, renewUnasked } from '#console/app/state/session.ts'
import { lastChallenge, wire } from './wire.ts'

export const { todos, members } = rollcall('', { fetch: wire, retries: 2 })

/** How something is read. */
export interface Look {
  readonly signal: AbortSignal
  /** No person asked for it, so nobody is asked to sign in for it. */
  readonly isUnasked: boolean
}

/** Makes a call. Where the service wants to know who asks, waits until somebody signs in, and makes it again. */
export const ask = <T>(call: () => Promise<Answer<T>>): Promise<Done<T>> =>
  signedIn(async () => unwrap(await call()))

/** The same for what is only looked at, perhaps by itself. */
export const look = <T>(call: () => Promise<Answer<T>>, { isUnasked }: Look): Promise<Done<T>> =>
  signedIn(async () => unwrap(await call()), isUnasked)

/** Page after page of a list. A sign-in that runs out on the way is asked for, and the walk goes on where it was. */
export async function* walk<Item>(pagesFrom: (cursor: string | undefined) => AsyncGenerator<Stretch<Item>>) {
  let cursor: string | undefined
  do {
    const page = await signedIn(() => pagesFrom(cursor).next())
    if (page.done) return
    yield page.value.content
    cursor = page.value.next
  } while (cursor !== undefined)
}

const signedIn = async <T>(work: () => Promise<T>, isUnasked = false): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isAsked = error instanceof RollcallError && error.failure.status === 401
      const challenge = isAsked ? lastChallenge() : undefined
      if (!challenge) throw error
      if (!isUnasked) await awaitSignIn(challenge.challenge, challenge.refused)
      else if (!(await renewUnasked(challenge.challenge, challenge.refused))) throw error
    }
  }
}

/** The rows of a page where all are read; a service that allows fewer gives fewer. */
export const walkSize = 1_000

/** What is said of a call that may be given up. */
export const until = (signal: AbortSignal | undefined) => (signal ? { signal } : {})
