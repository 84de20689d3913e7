/** `fetch` throws the same error for a request it can never send and for an unreachable service. This throws only for the first. */
export const assertSendable = (base: string, url: string, init: RequestInit) => {
  // The error of `fetch` would quote the password.
  if (/^[^/?#]*\/\/[^/?#]*@/.test(url))
    throw new TypeError('the address contains a user: pass it as `auth` instead')
  if (/[?#]/.test(base)) throw new TypeError('the address contains a query or a fragment: leave it out')
  if (/^https?:(?!\/\/[^/])/i.test(base)) throw new TypeError('the address names no host')
  if (!isRequestable(url)) throw new TypeError(`${url} is not an http or https address`)
  new globalThis.Request(url, init)
}

/** A page may leave out the origin. */
const isRequestable = (url: string) => {
  try {
    return /^https?:/.test(new globalThis.Request(url).url)
  } catch {
    return false
  }
}
