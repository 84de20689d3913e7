import { rollcall, unwrap } from '#client/index.ts'
import { basic } from '#client/sending.ts'
import { fetchAs } from '#console/app/api/fetch.ts'
import { dismissPending } from '#console/app/state/notes.ts'
import { currentAuthorization, forgetSignIn, leave, signInEverywhere } from '#console/app/state/session.ts'

/** Signs in by exchanging the password for a token. The password is not stored. */
export const signInWithPassword = async (signId: string, password: string, isLasting: boolean) => {
  const { value } = unwrap(await clientAs(basic(signId, password)).tokens.create())
  const { token } = value
  const caller = await clientAs(`Bearer ${token}`).members.get('me')
  // The configured administrator is not a member.
  const memberId = !caller.ok && caller.code === 'e.xx.yy.5001' ? undefined : unwrap(caller).value.memberId
  signInEverywhere({ name: signId, memberId, token, isLasting })
}

/** The longest wait for the service. After it, the tokens are deleted here, but stay valid until they expire. */
const endTimeoutMs = 2_000

/** Sends pending deletions, ends all tokens of the user, and reloads the pages of all tabs, so that they forget all data. */
export const signOut = async () => {
  const timeout = new Promise((resolve) => setTimeout(resolve, endTimeoutMs))
  await Promise.race([dismissPending(), timeout])
  const authorization = currentAuthorization()
  if (!forgetSignIn()) return location.reload()
  await Promise.race([clientAs(authorization).tokens.end(), timeout])
  leave()
}

const clientAs = (authorization: string | undefined) =>
  rollcall('', { fetch: fetchAs(authorization), retries: 0 })
