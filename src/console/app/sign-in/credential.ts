import type { Member } from '#client/index.ts'
import { basic } from '#client/sending.ts'
import { currentAuthorization, session, signIn } from '#console/app/state/session.ts'
import { fold } from '#core/fold.ts'

/** Whether this is the sign id of the signed-in user. */
export const isOwn = (signId: string) => {
  const { name } = session.get()
  return name !== undefined && fold(name) === fold(signId)
}

/** A user who changed their own credential stays signed in with the new one. */
export const followCredential = ({ memberId, credential: { signId } }: Member, password: string) => {
  if (session.get().memberId === memberId && currentAuthorization()?.startsWith('Basic '))
    signIn({ name: signId, authorization: basic(signId, password), memberId })
}
