import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { collection } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { Kind, Known, KnownOf, Records } from './records.ts'
import type { CreatedKey, KeyKind, NewKey } from './types.ts'

/** The calls of records with a secret that is shown once. */
export interface WithSecret<K extends Kind, New, Created>
  extends Omit<Records<K>, 'create' | 'history' | 'restore'> {
  /** Creates a key or webhook. Only this answer contains its secret. If the answer is lost, there is no retry, and the key or webhook may exist. */
  create(body: New, options?: CallOptions): Promise<Answer<Created>>

  /** Makes a new secret, and returns it. The old secret stays valid for 24 hours. */
  renewSecret(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<Created>>
}

/** Keys for machines. */
export interface Keys extends WithSecret<KeyKind, NewKey, CreatedKey> {}

export const collectionWithSecret = (call: Call, path: string) => {
  const calls = collection(call, path)
  return {
    ...calls,
    create: <T>(body: object, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path, body, isRepeatUnsafe: true }),
    renewSecret: <T>(idOrItem: Known<object>, options: CallOptions = {}) =>
      call<T>({ ...options, method: 'POST', path: `${calls.pathOf(idOrItem)}/secret`, isRepeatUnsafe: true }),
  }
}
