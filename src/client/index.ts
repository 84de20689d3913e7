// The client imports only types from outside this folder, so that a page can load its files without a bundler. README.md shows
// how to use it.
import type { Answer } from './answer.ts'
import { baseOf, type Call, retryingCall } from './call.ts'
import { type ChangeLog, changesOf } from './changes.ts'
import { collection, declaredCollection, withLazyProperties } from './collection.ts'
import type { ClientOf } from './declared.ts'
import { type Imports, importsOf } from './imports.ts'
import { collectionWithSecret, type Keys } from './keys.ts'
import { type Members, membersOf } from './members.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import type { Kind, KnownOf, Recorded } from './records.ts'
import type { Batch, Me, MemberView, NewBatch, ReducedMember, TodoKind, Token } from './types.ts'
import { type Views, viewsOf } from './views.ts'
import { type Webhooks, webhooksOf } from './webhooks.ts'

export { type Answer, type Done, type Failure, type FailureCode, RollcallError, unwrap } from './answer.ts'
export type { ChangeLog, ChangeQuery } from './changes.ts'
export type * from './codes.ts'
export { codes } from './codes.ts'
export type * from './declared.ts'
export { type Followed, follow } from './follow.ts'
export type { Imports } from './imports.ts'
export type { Keys, WithSecret } from './keys.ts'
export type { Members } from './members.ts'
export type { Auth, CallOptions, ClientOptions, Pause } from './options.ts'
export type * from './records.ts'
export type * from './types.ts'
export type { Views } from './views.ts'
export type { Webhooks } from './webhooks.ts'

/** The resources that every service has. */
export interface Rollcall {
  readonly todos: Todos
  readonly members: Members
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly tokens: Tokens
  readonly changes: ChangeLog
  readonly batches: Batches
  readonly imports: Imports
  readonly views: Views

  /** Returns who the caller is, the caller's rights, and when they expire. */
  me(options?: CallOptions): Promise<Answer<Me>>
}

/**
 * Makes a client of the service at this address, such as `https://rollcall.example.com`, with or without the API prefix. The types
 * of declared resources come from the module that declares them: `rollcall<typeof import('./loan.ts')>(address).loans`.
 */
export const rollcall = <Module = unknown>(
  address: string,
  options: ClientOptions = {},
): ClientOf<Module> => {
  const call = retryingCall(baseOf(address), options)
  const builtIn: Rollcall = {
    todos: todosOf(call),
    members: membersOf(call),
    keys: collectionWithSecret(call, '/keys'),
    webhooks: webhooksOf(call),
    tokens: tokensOf(call),
    changes: changesOf(call),
    batches: batchesOf(call),
    imports: importsOf(call),
    views: viewsOf(call),
    me: (options = {}) => call({ ...options, method: 'GET', path: '/me' }),
  }
  // The module exists only for the compiler. At run time, any other name is the path of a collection.
  return withLazyProperties(builtIn, (plural) => declaredCollection(call, `/${plural}`)) as ClientOf<Module>
}

/** True if only id and name of the member are shown. */
export const isReduced = (member: MemberView): member is ReducedMember => member.lastModifiedAt === undefined

export interface Todos<K extends Kind = TodoKind> extends Recorded<K> {
  /** Finishes the todo, whatever its version. Finishing it twice has the same effect as once. */
  finish(idOrItem: KnownOf<K>, options?: CallOptions): Promise<Answer<K['changed']>>
}

const todosOf = (call: Call): Todos => {
  const calls = collection(call, '/todos')
  return {
    ...calls,
    finish: (idOrItem, options = {}) => call({ ...options, method: 'PUT', path: calls.pathOf(idOrItem) }),
  }
}

export interface Tokens {
  /** Creates a token for the caller, who must sign in with a password. */
  create(options?: CallOptions): Promise<Answer<Token>>

  /** Makes all tokens of the caller invalid. */
  end(options?: CallOptions): Promise<Answer<undefined>>
}

const tokensOf = (call: Call): Tokens => ({
  async create(options = {}) {
    const create = () => call<Token>({ ...options, method: 'POST', path: '/tokens' })
    const answer = await create()
    // The answer with the first token was lost, and its key gives no other token.
    return !answer.ok && answer.code === 'e.xx.fw.8008' && options.key === undefined ? create() : answer
  },
  end: (options = {}) => call({ ...options, method: 'DELETE', path: '/tokens' }),
})

export interface Batches {
  /** Sends up to a hundred changes in one request. If `atomic`, all take effect or none. A retry makes no change twice. */
  create(body: NewBatch, options?: CallOptions): Promise<Answer<Batch>>
}

const batchesOf = (call: Call): Batches => ({
  create: (body, options = {}) => call({ ...options, method: 'POST', path: '/batch', body }),
})
