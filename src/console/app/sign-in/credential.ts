import { basic } from '#client/sending.ts'
import { currentAuthorization, session, signIn } from '#console/app/state/session.ts'
import { fold } from '#core/fold.ts'

/** Whether it is what one signed in with. */
export const isOwn = (signId: string) => {
  const { name } = session.get()
  return name !== undefined && fold(name) === fold(signId)
}

/** Whoever changed its own password goes on with the new one. */
export const followPassword = (signId: string, password: string) => {
  const { name, memberId } = session.get()
  if (name !== undefined && isOwn(signId) && currentAuthorization()?.startsWith('Basic '))
    signIn({ name, authorization: basic(name, password), memberId })
}
