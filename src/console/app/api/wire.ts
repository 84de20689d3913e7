import { failing, reached, unreachable } from '#console/app/state/connection.ts'
import { locale } from '#console/app/state/preferences.ts'
import { currentAuthorization, prove } from '#console/app/state/session.ts'
import { type Challenge, readChallenge } from './challenge.ts'

/** What the service last asked for, and what it was shown when it did. */
let asked: { readonly challenge: Challenge; readonly refused: string | undefined } | undefined

export const lastChallenge = () => asked

type Fetch = typeof fetch

/** Served also while the service fails, so an answer proves nothing about its health. */
export const numbers = '/metrics'

/** A service that takes longer to say how it is counts as away. */
const longestLookMs = 5_000

/** For a look at how the service is: it ends by itself. */
export const soon = (signal: AbortSignal) => AbortSignal.any([signal, lookEnd()])

export const lookEnd = () => AbortSignal.timeout(longestLookMs)

/** As fetch: in the language of the page, as whoever signed in; and it notices whether the service can be reached. */
export const wire: Fetch = async (input, init) => {
  const authorization = currentAuthorization()
  const response = await wireAs(authorization)(input, init)
  if (response.status === 401) remember(response, authorization)
  else prove(authorization)
  return response
}

/** The same as somebody who has not signed in yet. */
export const wireAs =
  (authorization: string | undefined): Fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('Accept-Language', locale.get())
    if (authorization !== undefined) headers.set('Authorization', authorization)
    return send(input, { ...init, headers })
  }

/** The browser's own dialog for passwords stays closed where it may not send any. */
const always = { credentials: 'omit', cache: 'no-store' } as const

/** A deletion is sent to its end even where the page is closed meanwhile. */
const send = async (
  input: RequestInfo | URL,
  init: RequestInit & { headers: Headers },
): Promise<Response> => {
  const track = init.headers.get('X-Track') ?? ''
  try {
    const response = await fetch(input, { ...init, ...always, keepalive: init.method === 'DELETE' })
    if (response.status >= 500) failing(response.headers.get('X-Track') ?? track, response.status)
    else if (input !== numbers) reached()
    return response
  } catch (error) {
    if (!isGivenUp(init.signal)) unreachable(track)
    throw error
  }
}

const isGivenUp = (signal: AbortSignal | null | undefined) =>
  signal?.aborted === true && (signal.reason as Error | undefined)?.name !== 'TimeoutError'

const remember = (response: Response, refused: string | undefined) => {
  const challenge = readChallenge(response.headers.get('WWW-Authenticate'))
  asked = challenge && { challenge, refused }
}
