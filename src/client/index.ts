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
 * todos:   list page each pages get history create finish patch remove
 * members: list page each pages get history create update patch remove erase changeCredential getRole changeRole, and
 *          getDetailed, getReduced
 * keys:    list page each pages get create remove; the secret of a key is in the answer to create only
 * webhooks: list page each pages get create update patch remove renewSecret test move
 *          getDeliveries; a secret is shown as that of a key is
 * tokens:  create, and end, which ends all of the caller's; a token is used as `{ auth: { token } }`
 * changes: list, and follow, which waits for what comes: keep the `cursor` of a page to continue there later
 * follow(client, 'members') or 'todos': a whole list that stays true, without the gaps of lists that are read now and then
 * batches: create, for many changes in one request: all of them or (unless `atomic`) those that are not refused
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
import { baseOf, caller } from './calling.ts'
import { changesOf } from './changes.ts'
import { collection, type Known } from './collection.ts'
import { keysOf, tokensOf, webhooksOf } from './machines.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import type {
  Batch,
  CredentialUpdate,
  DetailedMember,
  Member,
  MemberFilter,
  MemberPatch,
  MemberRole,
  MemberRoleUpdate,
  MemberSort,
  MemberUpdate,
  MemberView,
  NewBatch,
  NewMember,
  NewTodo,
  ReducedMember,
  Todo,
  TodoFilter,
  TodoPatch,
  TodoSort,
} from './types.ts'

export { type Answer, type Done, type Failure, type FailureCode, RollcallError, unwrap } from './answer.ts'
export type { ChangeQuery } from './changes.ts'
export type * from './codes.ts'
export { codes } from './codes.ts'
export type {
  FieldOf,
  Fields,
  Known,
  ListOptions,
  PageOf,
  PageQuery,
  Paging,
  SortBy,
  Stretch,
  Version,
  WalkQuery,
} from './collection.ts'
export { type Followed, follow } from './follow.ts'
export type { Auth, CallOptions, ClientOptions, Pause } from './options.ts'
export type * from './types.ts'

/** A client of the service at this address, such as `https://rollcall.example.com`, with or without the API prefix. */
export const rollcall = (address: string, options: ClientOptions = {}) => {
  const call = caller(baseOf(address), options)
  return {
    todos: todosOf(call),
    members: membersOf(call),
    keys: keysOf(call),
    webhooks: webhooksOf(call),
    tokens: tokensOf(call),
    changes: changesOf(call),
    batches: batchesOf(call),
  }
}

/** A member as the caller may see it: in full, or only id and name. Where members sign in, a member sees others in this form. */
export type SeenMember = Member | ReducedMember

/** Whether only id and name of the member are shown. */
export const isReduced = (member: MemberView): member is ReducedMember => member.lastModifiedAt === undefined

export type Rollcall = ReturnType<typeof rollcall>

type Call = ReturnType<typeof caller>

const todosOf = (call: Call) => {
  const { put, create, patch, at, tagOf, ...all } = collection<Todo, 'todoId', TodoSort, TodoFilter>(
    call,
    '/todos',
    'todoId',
  )
  return {
    ...all,
    create: (todo: NewTodo, options?: CallOptions) => create(todo, options),
    /** Finishes the todo, whatever its version. Finishing it twice has the same effect as once. */
    finish: (known: Known<Pick<Todo, 'todoId'>>, options: CallOptions = {}): Promise<Answer<Todo>> =>
      call({ ...options, method: 'PUT', path: at(known) }),
    /** Renames, finishes or reopens the todo. */
    patch: (known: Known<Pick<Todo, 'todoId'>>, change: TodoPatch, options?: CallOptions) =>
      patch(known, change, options),
  }
}

const batchesOf = (call: Call) => ({
  /** Makes up to a hundred changes together. The answers come in the order of the operations; retries never make them twice. */
  create: (body: NewBatch, options: CallOptions = {}): Promise<Answer<Batch>> =>
    call({ ...options, method: 'POST', path: '/batch', body }),
})

type KnownMember = Known<Pick<Member, 'memberId'>>

const membersOf = (call: Call) => {
  const { put, create, patch, at, tagOf, ...all } = collection<
    SeenMember,
    'memberId',
    MemberSort,
    MemberFilter,
    Member
  >(call, '/members', 'memberId')
  return {
    ...all,
    create: (member: NewMember, options?: CallOptions) => create(member, options),
    /** Replaces all fields except the credential. A member that was read may be changed and sent back. */
    update: (known: KnownMember, member: MemberUpdate, options?: CallOptions) => put(known, member, options),
    patch: (known: KnownMember, change: MemberPatch, options?: CallOptions) => patch(known, change, options),
    /** Only id and name. */
    getReduced: (memberId: string, options: CallOptions = {}): Promise<Answer<ReducedMember>> =>
      call({ ...options, method: 'GET', path: at(memberId), query: { view: 'reduced' } }),
    /** Everything except the credential; only id and name if the caller may see no more. */
    getDetailed: (
      memberId: string,
      options: CallOptions = {},
    ): Promise<Answer<DetailedMember | ReducedMember>> =>
      call({ ...options, method: 'GET', path: at(memberId), query: { view: 'detailed' } }),
    getRole: (memberId: string, options: CallOptions = {}): Promise<Answer<MemberRole>> =>
      call({ ...options, method: 'GET', path: `${at(memberId)}/role` }),
    changeRole: (
      memberId: string,
      body: MemberRoleUpdate,
      options: CallOptions = {},
    ): Promise<Answer<MemberRole>> => call({ ...options, method: 'PUT', path: `${at(memberId)}/role`, body }),
    /** Removes the member with all that is kept of it, also one that was removed before. Its changes stay. */
    erase: (known: KnownMember, options: CallOptions = {}): Promise<Answer<undefined>> =>
      call({ ...options, method: 'DELETE', path: at(known), query: { erase: true }, ifMatch: tagOf(known) }),
    changeCredential: (
      known: KnownMember,
      body: CredentialUpdate,
      options: CallOptions = {},
    ): Promise<Answer<Member>> =>
      call({
        ...options,
        method: 'PUT',
        path: `${at(known)}/credential`,
        body,
        ifMatch: tagOf(known),
        isDoneAgain: true,
      }),
  }
}
