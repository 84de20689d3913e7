import { type Answer, type Done, RollcallError, rollcall, type Stretch, unwrap } from '#client/index.ts'
import { awaitSignIn } from '#console/app/state/session.ts'
import { lastChallenge, wire } from './wire.ts'

export const { todos, members } = rollcall('', { fetch: wire, retries: 2 })

/** Makes a call. Where the service wants to know who asks, waits until somebody signs in, and makes it again. */
export const ask = <T>(call: () => Promise<Answer<T>>): Promise<Done<T>> =>
  signedIn(async () => unwrap(await call()))

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

const signedIn = async <T>(work: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isAsked = error instanceof RollcallError && error.failure.status === 401
      const challenge = isAsked ? lastChallenge() : undefined
      if (!challenge) throw error
      await awaitSignIn(challenge.challenge, challenge.refused)
    }
  }
}

/** The rows of a page where all are read; a service that allows fewer gives fewer. */
export const walkSize = 1_000

/** What is said of a call that may be given up. */
export const until = (signal: AbortSignal | undefined) => (signal ? { signal } : {})
