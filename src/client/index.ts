/**
 * The Rollcall client for Node, browsers and workers. It needs only `fetch`, and imports nothing from outside this folder, so
 * a page can load its files without bundling.
 *
 *     import { rollcall, unwrap } from 'rollcall/client'
 *
 *     const { todos, members } = rollcall('http://127.0.0.1:8080')          // '' in a page of the same origin
 *     const found = await members.get(id)                                   // never throws:
 *     if (!found.ok) console.log(found.code, found.message, found.track)    //   a failure is a value with a code
 *     else await members.patch(found, { address: 'Kyoto' })                 // changes only the version that was read;
 *                                                                           //   otherwise fails with e.xx.fw.8003
 *     const { value } = unwrap(await todos.create({ todoTitle: 'Milk' }))   // throws a RollcallError on failure
 *     for await (const member of members.each({ name: 'smith' })) …         // fetches pages by cursor as you read
 *     for await (const { content, next } of todos.pages({ cursor })) …      // keep `next` to continue there later
 *
 * Resources: `todos`, `members`, `keys`, `webhooks`, and those that a module declares, by their plural names. Beside them are
 * `tokens`, `changes` and `batches`, and `follow`, a whole list that stays true.
 *
 * Where members sign in, a member reads only the id and name of others: `isReduced(member)` narrows the type.
 *
 * Versions: a first argument `known` is an id, or an answer that was read earlier (or any `{ value, etag }`). With an
 * answer, a change carries If-Match (except `finish`), and `get` transfers the item only if it has changed. `list` and
 * `page` do the same for a list passed as `{ known }` in the last argument.
 *
 * Retries: every call takes `{ signal, track }` as its last argument. Lost answers and temporary refusals (408, 429, 503, a
 * key in use) are retried after Retry-After or with growing pauses, for about ten seconds in all, enough for the service to
 * restart. Every create and patch carries an Idempotency-Key, so it happens once. To repeat one safely after a crash, pass
 * the same `{ key }`; `replayed` says that it had already been done.
 *
 * Unknown outcomes: if the answer to a PUT or DELETE of one version, or to a credential change, is lost (`unreachable`), or
 * the service does not know the outcome either (9002), the failure is returned without a retry: read the item again, or sign
 * in, to see whether it took effect. If a retry of any change is refused (401, 403, 429, a busy service), the earlier failure
 * is returned, because that attempt may have taken effect.
 *
 * Strangers: every answer of the service carries X-Track, which proxies must pass on. An answer without it, or a redirect
 * (never followed), is not from the service: `unintelligible`. A request that cannot be sent (invalid address, refused port,
 * body that cannot be JSON, no token available) fails at once: `unsendable`. `cause` is the error that was thrown.
 */
import type { Answer } from './answer.ts'
import { baseOf, type Caller, caller } from './calling.ts'
import { type ChangeLog, changesOf } from './changes.ts'
import { collection, declaredCollection, openTo } from './collection.ts'
import type { ClientOf } from './declared.ts'
import { type Keys, keysOf, type Tokens, tokensOf, type Webhooks, webhooksOf } from './machines.ts'
import { type Members, membersOf } from './members.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import type { Kind, KnownOf, Recorded } from './records.ts'
import type { Batch, Me, MemberView, NewBatch, ReducedMember, TodoKind } from './types.ts'

export { type Answer, type Done, type Failure, type FailureCode, RollcallError, unwrap } from './answer.ts'
export type { ChangeLog, ChangeQuery } from './changes.ts'
export type * from './codes.ts'
export { codes } from './codes.ts'
export type * from './declared.ts'
export { type Followed, follow } from './follow.ts'
export type { Keys, Tokens, Webhooks } from './machines.ts'
export type { Members } from './members.ts'
export type { Auth, CallOptions, ClientOptions, Pause } from './options.ts'
export type * from './records.ts'
export type * from './types.ts'

/** The resources that every service has. */
export interface Rollcall {
  readonly todos: Todos
  readonly members: Members
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly tokens: Tokens
  readonly changes: ChangeLog
  readonly batches: Batches

  /** Describes the caller: its identity, its rights, and their expiry. */
  me(options?: CallOptions): Promise<Answer<Me>>
}

/**
 * A client of the service at this address, such as `https://rollcall.example.com`, with or without the API prefix. Resources
 * of one's own are typed by the module that declares them: `rollcall<typeof import('./loan.ts')>(address).loans`.
 */
export const rollcall = <Module = unknown>(
  address: string,
  options: ClientOptions = {},
): ClientOf<Module> => {
  const call = caller(baseOf(address), options)
  const own: Rollcall = {
    todos: todosOf(call),
    members: membersOf(call),
    keys: keysOf(call),
    webhooks: webhooksOf(call),
    tokens: tokensOf(call),
    changes: changesOf(call),
    batches: batchesOf(call),
    me: (options = {}) => call({ ...options, method: 'GET', path: '/me' }),
  }
  // Only the compiler reads the module: here, each other name is the path of a collection.
  return openTo(own, (plural) => declaredCollection(call, `/${plural}`)) as ClientOf<Module>
}

/** Whether only id and name of the member are shown. */
export const isReduced = (member: MemberView): member is ReducedMember => member.lastModifiedAt === undefined

export interface Todos<K extends Kind = TodoKind> extends Recorded<K> {
  /** Finishes the todo, whatever its version. Finishing it twice has the same effect as once. */
  finish(known: KnownOf<K>, options?: CallOptions): Promise<Answer<K['changed']>>
}

const todosOf = (call: Caller): Todos => {
  const all = collection(call, '/todos')
  return {
    ...all,
    finish: (known, options = {}) => call({ ...options, method: 'PUT', path: all.at(known) }),
  }
}

export interface Batches {
  /** Makes up to a hundred changes together. The answers come in the order of the operations; retries never make them twice. */
  create(body: NewBatch, options?: CallOptions): Promise<Answer<Batch>>
}

const batchesOf = (call: Caller): Batches => ({
  create: (body, options = {}) => call({ ...options, method: 'POST', path: '/batch', body }),
})
