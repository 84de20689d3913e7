import { basic } from '#client/sending.ts'
import { currentAuthorization, session, signIn } from '#console/app/state/session.ts'
import { fold } from '#core/fold.ts'

/** Whether this is the sign id of the signed-in user. */
export const isOwn = (signId: string) => {
  const { name } = session.get()
  return name !== undefined && fold(name) === fold(signId)
}

/** A user who changed their own password stays signed in with the new one. */
export const followPassword = (signId: string, password: string) => {
  const { name, memberId } = session.get()
  if (name !== undefined && isOwn(signId) && currentAuthorization()?.startsWith('Basic '))
    signIn({ name, authorization: basic(name, password), memberId })
}
