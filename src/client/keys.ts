import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { collection } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { Kind, Known, KnownOf, Records } from './records.ts'
import type { CreatedKey, KeyKind, NewKey } from './types.ts'

/** The calls of records with a secret that is shown once. */
export interface WithSecret<K extends Kind, New, Created>
  extends Omit<Records<K>, 'create' | 'history' | 'restore'> {
  /** Creates one. Only this answer contains the secret, so a lost answer is not retried: a secret that nobody knows may remain. */
  create(body: New, options?: CallOptions): Promise<Answer<Created>>

  /** Creates a new secret. The old one stays valid for 24 hours. */
  renewSecret(known: KnownOf<K>, options?: CallOptions): Promise<Answer<Created>>
}

/** Keys for machines. */
export interface Keys extends WithSecret<KeyKind, NewKey, CreatedKey> {}

export const withSecret = (call: Call, path: string) => {
  const all = collection(call, path)
  return {
    ...all,
    create: <T>(body: object, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path, body, isRepeatUnsafe: true }),
    renewSecret: <T>(known: Known<object>, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path: `${all.at(known)}/secret`, isRepeatUnsafe: true }),
  }
}
