import { type Answer, type Done, rollcall, unwrap } from '#client/index.ts'
import { awaitSignIn } from '#console/app/state/session.ts'
import { lastChallenge, wire } from './wire.ts'

export const { todos, members } = rollcall('', { fetch: wire, retries: 2 })

/** Makes a call. Where the service wants to know who asks, waits until somebody signs in, and makes it again. */
export const ask = async <T>(call: () => Promise<Answer<T>>): Promise<Done<T>> => {
  for (;;) {
    const answer = await call()
    const challenge = !answer.ok && answer.status === 401 ? lastChallenge() : undefined
    if (!challenge) return unwrap(answer)
    await awaitSignIn(challenge.challenge, challenge.refused)
  }
}

/** What is said of a call that may be given up. */
export const until = (signal: AbortSignal | undefined) => (signal ? { signal } : {})
