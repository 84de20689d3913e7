import { baseOf, retryingCall } from '#client/call.ts'
import {
  type Answer,
  type CallOptions,
  type Change,
  type Done,
  RollcallError,
  rollcall,
  type Stretch,
  unwrap,
} from '#client/index.ts'
import { showPause } from '#console/app/state/pauses.ts'
import { awaitSignIn, renewInBackground } from '#console/app/state/session.ts'
import { fetchAsUser, lastChallenge } from './fetch.ts'

const options = { fetch: fetchAsUser, retries: 2, onPause: showPause }

export const { todos, members, webhooks, changes, batches, me } = rollcall('', options)

/** Any request to this origin, through the client. */
export const call = retryingCall('', options)

export const callApi = retryingCall(baseOf(''), options)

/** Like `call`, with another `fetch` and without retries. */
export const callWith = (fetch: typeof fetchAsUser) => retryingCall('', { fetch, retries: 0 })

export interface ReadOptions {
  readonly signal: AbortSignal
  /** The read happens in the background, so it must not prompt for a sign-in. */
  readonly isBackground: boolean
}

/** Makes a call. If the service requires a sign-in, waits for one and repeats the call. */
export const callSignedIn = <T>(call: () => Promise<Answer<T>>): Promise<Done<T>> =>
  withSignIn(async () => unwrap(await call()))

/** Like `callSignedIn`, for reads, which may happen in the background. Returns the earlier answer unless the data has changed. */
export const readSignedIn = async <T>(
  call: (init: Pick<CallOptions, 'signal'>) => Promise<Answer<T>>,
  { signal, isBackground }: Partial<ReadOptions>,
  previous?: Done<T>,
): Promise<Done<T>> => {
  const read = await withSignIn(async () => unwrap(await call({ signal })), isBackground)
  return previous && read.status === 304 ? previous : read
}

/** Reads a list page by page. If the sign-in expires meanwhile, asks for a new sign-in and continues with the next page. */
export async function* walk<Item>(pagesFrom: (cursor: string | undefined) => AsyncGenerator<Stretch<Item>>) {
  let cursor: string | undefined
  do {
    const page = await withSignIn(() => pagesFrom(cursor).next())
    if (page.done) return
    yield page.value.content
    cursor = page.value.next
  } while (cursor !== undefined)
}

/** Reads the first items of a list. */
export const take = <Item>(
  from: () => AsyncGenerator<Item>,
  count: number,
  { isBackground }: Partial<ReadOptions>,
) =>
  withSignIn(async () => {
    const items: Item[] = []
    for await (const item of from()) if (items.push(item) === count) break
    return items
  }, isBackground)

const feed = rollcall('', { fetch: fetchAsUser, retries: 0 }).changes

/** Yields new changes in groups. The first group is empty. */
export async function* followChanges(signal: AbortSignal): AsyncGenerator<readonly Change[]> {
  for (let after = 'latest'; ; ) {
    const { value } = await withSignIn(() => feed.follow({ after }, { signal }).next(), true)
    if (!value) return
    after = value.cursor
    yield value.content
  }
}

const withSignIn = async <T>(work: () => Promise<T>, isBackground = false): Promise<T> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const needsSignIn = error instanceof RollcallError && error.status === 401
      const latest = needsSignIn ? lastChallenge() : undefined
      if (!latest) throw error
      if (!isBackground) await awaitSignIn(latest.challenge, latest.refusedAuthorization)
      else if (!(await renewInBackground(latest.challenge, latest.refusedAuthorization))) throw error
    }
  }
}

/** The page size for reading a whole list; a service may allow fewer. */
export const walkSize = 1_000
